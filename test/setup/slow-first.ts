// The order of files: those that take long begin first, so that none is left over when all others have ended. By itself, Vitest knows how long a file took
// only after a run on the same checkout, and takes the size of the file instead: the slowest are among the smallest.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes more than ten seconds on two cores. The longest first. */
export const slowFiles: readonly string[] = [
  'test/gitops/contract.test.ts',
  'test/bad-input/table.test.ts',
  'test/integration/api-server/sharing.test.ts',
  'test/e2e/plugin.test.ts',
  'test/e2e/access/permissions.test.ts',
  'test/integration/api-server/own-plane.test.ts',
  'test/operator/kinds/cluster/conformance.test.ts',
  'test/integration/objects/own-clusters.test.ts',
  'test/e2e/installation/quickstart.test.ts',
  'test/integration/economy.test.ts',
  'test/e2e/outage.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/installation/helm.test.ts',
  'test/integration/secrets.test.ts',
  'test/e2e/lease.test.ts',
  'test/operator/kinds/job-execution/conformance.test.ts',
  'test/integration/service/hostile.test.ts',
  'test/integration/service/clocks.test.ts',
  'test/integration/api-server/namespace.test.ts',
  'test/integration/objects/files.test.ts',
  'test/integration/plugin/plugin.test.ts',
  'test/integration/objects/autoscaling.test.ts',
  'test/integration/service/noisy.test.ts',
  'test/integration/api-server/watches.test.ts',
  'test/operator/kube/plane-follow.test.ts',
  'test/integration/api-server/large.test.ts',
  'test/e2e/commands.test.ts',
  'test/integration/pods/pods.test.ts',
  'test/integration/pods/refusals.test.ts',
  'test/integration/objects/order.test.ts',
  'test/integration/objects/revisions.test.ts',
  'test/exhaustive/exhaustive.test.ts',
  'test/faults/simulated/grid.test.ts',
  'test/service/backends/pods/jobs/worlds.test.ts',
  'test/simulator/remedies/remedies.test.ts',
  'test/simulator/simulator.test.ts',
  'test/simulator/lifecycle/lifecycle.test.ts',
  'test/operator/client/hostile-answers.test.ts',
  'test/service/model/disk/full-volume.test.ts',
  'test/architecture/architecture.test.ts',
  'test/simulator/planted.test.ts',
  'test/service/killed/tiny.test.ts',
  'test/service/errors/documented-errors.test.ts',
  'test/simulator/kills.test.ts',
  'test/service/backends/pods/hostile/users.test.ts',
  'test/cli/arguments/completion.test.ts',
  'test/contract/command.test.ts',
  'test/service/backends/processes/jobs/process-jobs.test.ts',
  'test/deploy/service/service-disk.test.ts',
];

const root = join(import.meta.dirname, '..', '..');

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = slowFiles.filter((file) => !existsSync(join(root, file)));
    if (missing.length > 0)
      throw new Error(`test/setup/slow-first.ts names files that do not exist: ${missing.join(', ')}`);
    const rank = new Map(slowFiles.map((file, index) => [join(root, file), index]));
    const rankOf = ({ moduleId }: TestSpecification): number => rank.get(moduleId) ?? slowFiles.length;
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((each) => each.toSorted((one, other) => rankOf(one) - rankOf(other)));
  }
}
