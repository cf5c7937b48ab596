// The commands of docs/how-to/gitops.md that ask for something, as they stand there, by the real kubectl.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { conditionReasons } from '../../src/operator/api/shared-api.ts';
import { openSchemaApi } from '../operator/kinds/schema/api.ts';
import { smallest } from '../operator/kinds/schema/samples.ts';
import { haveKubectl } from './readers/kubectl-wait.ts';

const kubeconfig = inject('kubeconfig');
const page = join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'gitops.md');

const condition = (type: 'Ready' | 'TemplateOutdated') => ({
  type,
  status: 'True',
  reason: conditionReasons[type][0],
  message: 'as told',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe.skipIf(kubeconfig === '' || !haveKubectl)('Clusters whose template was edited', () => {
  test('are those that the command tells, and no others', async () => {
    const api = await openSchemaApi(kubeconfig, 'gitops-commands');
    const make = async (...conditions: readonly object[]): Promise<string> => {
      const path = await api.create('Cluster', smallest.Cluster);
      await api.server.send({ method: 'PATCH', path: `${path}/status`, body: { status: { conditions } } });
      return path.split('/').at(-1) ?? '';
    };
    const outdated = [await make(condition('Ready'), condition('TemplateOutdated'))];
    await make(condition('Ready'));
    outdated.push(await make(condition('TemplateOutdated')));
    await make();
    const lines = (await readFile(page, 'utf8')).split('\n');
    const commands = lines.filter((line) => line.startsWith('kubectl get') && line.includes('TemplateOutdated'));
    expect(commands).toHaveLength(1);
    const here = `${commands[0]}`.replace('kubectl', `kubectl --kubeconfig '${kubeconfig}' -n ${api.namespace}`);
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', here]);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n').toSorted()).toEqual(outdated.toSorted());
    await api.close();
  });
});
