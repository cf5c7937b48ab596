// Parts that the schemas of several answered resources share. PURE.
import { z } from 'zod';
import type { Dialect } from '../../wire/dialect.ts';

export const text = z.string().optional();
export const flag = z.boolean().optional();
export const stamped = { created_at: text, updated_at: text };

/** Fields that upstream has in all resources except plugins and images. Early releases have no access fields. */
export const ownedIn = (dialect: Dialect) => ({
  tenant_id: text,
  ...(dialect === 'sahara' && { is_public: flag, is_protected: flag }),
});
