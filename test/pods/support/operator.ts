// The operator as a process of this computer.
import { expect, vi } from 'vitest';
import { type Running, runProgram } from '../../support/command.ts';
import { limitMs } from '../../support/patience.ts';

/** Resolves when it runs. */
export async function startOperator(kubeconfig: string, namespace: string): Promise<Running> {
  const own = ['--kubeconfig', kubeconfig, '--namespaces', namespace, '--installation', namespace];
  const flags = [...own, '--health-address', '127.0.0.1:0', '--quarantine', '3s'];
  const operator = runProgram('src/operator/main.ts', flags);
  await vi.waitFor(() => expect(operator.output() + operator.errors()).toContain('running; health'), limitMs);
  return operator;
}
