// What the resources of many routes have in common as they are answered. PURE.
import { z } from 'zod';
import type { Dialect } from '../../wire/dialect.ts';

export const text = z.string().optional();
export const flag = z.boolean().optional();
export const stamped = { created_at: text, updated_at: text };

/** What upstream knows of all but plugins and images. Early releases know nothing of access. */
export const ownedIn = (dialect: Dialect) => ({
  tenant_id: text,
  ...(dialect === 'sahara' && { is_public: flag, is_protected: flag }),
});
