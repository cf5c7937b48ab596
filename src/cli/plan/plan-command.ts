// Shows the plan of an object, all plans that wait, or what applying files would do.
import type { PlanWish } from '../arguments/commands.ts';
import type { ObjectName } from '../kind-names.ts';
import type { Observed } from '../observed.ts';
import { printFound } from '../output/formats.ts';
import { oneLine, painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import { printFilePlans } from '../preview/file-plans-command.ts';
import type { Reach } from '../reach.ts';
import { readKinds } from '../read-all.ts';
import { planListOf } from './plan-list.ts';
import { nameText, planPage, planTable } from './plan-page.ts';
import { planIn, plannedKinds, policyOf, whyNotWaiting } from './waiting-plan.ts';

/** Resolves to the exit code: 1 if something cannot be read, or, of files, if something would change. */
export async function printPlans(reach: Reach, wish: PlanWish, printer: Printer): Promise<number> {
  const { object, allNamespaces, format } = wish;
  if (wish.files.length > 0) return printFilePlans(reach, wish, printer);
  const paint = painter(printer.isColoured);
  if (object !== undefined) return printPlan(reach, { object, format }, printer);
  const list = planListOf(await readKinds(reach.objects, plannedKinds, allNamespaces));
  const namespace = allNamespaces ? undefined : reach.objects.namespace;
  await printFound(printer, format, { found: list, page: () => planTable(list, { namespace, paint }) });
  return list.unread.length > 0 ? 1 : 0;
}

interface OnePlan extends Pick<PlanWish, 'format'> {
  readonly object: ObjectName;
}

async function printPlan({ objects }: Reach, { object: { kind, name }, format }: OnePlan, printer: Printer) {
  const object = await objects.read<Observed>(kind, name);
  const why = whyNotWaiting(object);
  const plan = planIn(object);
  const isShown = plan !== undefined && (why === undefined || policyOf(object) === 'Observe');
  const { namespace = objects.namespace } = object.metadata;
  const found = {
    kind: kind.kind,
    namespace,
    name,
    policy: policyOf(object),
    canBeApproved: why === undefined,
    ...(isShown ? { plan } : {}),
    ...(why === undefined ? {} : { why }),
  };
  const page = () =>
    isShown
      ? planPage(object, plan, painter(printer.isColoured))
      : `no plan of ${nameText(object)} waits: ${oneLine(why ?? '')}\n`;
  await printFound(printer, format, { found, page });
  return 0;
}
