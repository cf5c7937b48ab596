// Optional fields that many schemas have. Where it is used, a field gets its description and its example.
import { z } from 'zod';

export const optionalBoolean = z.boolean().optional();

export const optionalInteger = (min: number, max?: number) => {
  const bounded = z.int32().min(min);
  return (max === undefined ? bounded : bounded.max(max)).optional();
};

/** A field of status with text. */
export const reportedText = (max: number, description: string) => z.string().max(max).optional().describe(description);
