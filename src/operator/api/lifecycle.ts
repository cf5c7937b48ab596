// The fields of a lifecycle: when a cluster expires, in a spec, and what is recorded of it in a status.
import { z } from 'zod';
import { type Rule, ruled, text } from './keywords.ts';
import { optionalInteger, reportedText } from './optional-fields.ts';

/** Which deadline of a lifecycle comes first, or has passed. */
export const expiryReasons = ['Idle', 'MaximumAge', 'EndTime'] as const;
export type ExpiryReason = (typeof expiryReasons)[number];

export const expiryActions = ['Delete', 'Release'] as const;

/** As RFC 3339 has it. A time without a zone would mean another moment in each place. */
const timeWithZone =
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;

export const lifecycle = ruled(
  z.object({
    idleDeleteAfterSeconds: optionalInteger(300, 31_536_000)
      .describe(
        'Seconds without use after which the cluster expires. JobExecutions that have not ended are use, and so is the work that the service reports of the cluster. Use that the service does not report is NOT seen, such as that of people who log in to the cluster or read its HDFS: do not set it on such a cluster. While it is not known whether the cluster is used, it does not expire.',
      )
      .meta({ example: 3600 }),
    deleteAfterSeconds: optionalInteger(60, 315_360_000)
      .describe(
        'Seconds after which the cluster expires, counted from when it first became Ready. It does not matter whether the cluster is used, but runs of JobExecutions that are in progress end first.',
      )
      .meta({ example: 28_800 }),
    deleteAt: text(35, {
      pattern: timeWithZone,
      message:
        'must be a time with its zone, as RFC 3339 has it, such as 2026-06-30T18:00:00Z or 2026-06-30T18:00:00+02:00',
    })
      .optional()
      .describe(
        'Time at which the cluster expires, as in RFC 3339. It does not matter whether the cluster is used, but runs of JobExecutions that are in progress end first.',
      )
      .meta({ example: '2026-06-30T18:00:00Z' }),
    onExpiry: z
      .enum(expiryActions)
      .optional()
      .describe(
        'What the operator does when the cluster expires. Delete deletes this object, and the cluster with it, as its deletionPolicy says. Release deletes the cluster in the service and keeps this object, for objects that a GitOps tool would apply again. Defaults to Delete.',
      )
      .meta({ example: 'Release' }),
  }),
  [
    {
      rule: 'has(self.idleDeleteAfterSeconds) || has(self.deleteAfterSeconds) || has(self.deleteAt)',
      message: 'set idleDeleteAfterSeconds, deleteAfterSeconds or deleteAt, or remove lifecycle',
      reason: 'FieldValueRequired',
    },
  ],
);

/** A rule of the spec with a lifecycle. Its object would stay, and nothing would ever delete the cluster. */
export const releaseDeletes: Rule = {
  rule: "!has(self.lifecycle) || !has(self.lifecycle.onExpiry) || self.lifecycle.onExpiry != 'Release' || !has(self.deletionPolicy) || self.deletionPolicy != 'Orphan'",
  message:
    'lifecycle.onExpiry Release deletes the cluster in the service, which deletionPolicy Orphan forbids: remove one of them',
  fieldPath: '.lifecycle.onExpiry',
  reason: 'FieldValueForbidden',
};

/** What is recorded of the use of a cluster with a lifecycle. */
export const lifecycleStatus = {
  firstReadyAt: reportedText(
    32,
    'Time at which the cluster was first seen Ready. spec.lifecycle.deleteAfterSeconds counts from then. Present if spec.lifecycle is set.',
  ),
  lastUsedAt: reportedText(
    32,
    'Time at which the use of the cluster ended, or at which it became Ready. spec.lifecycle.idleDeleteAfterSeconds counts from then. Absent while the cluster is in use.',
  ),
  loadReported: z
    .boolean()
    .optional()
    .describe(
      'Whether the service has reported the work of the cluster. If so, the cluster does not count as idle while its work is not known.',
    ),
};
