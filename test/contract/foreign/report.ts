// A vitest reporter that says of each test whether it passed, failed or could not be tried, and why; then sums up.
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** As the file is called: `section-4-3-node-group-templates` is about section 4.3. */
export function sectionOf(path: string): string {
  const [, digits = ''] = /section-(\d+(?:-\d+)*)/.exec(path) ?? [];
  return digits.replaceAll('-', '.');
}

const nameOf = (test: TestCase): string => test.fullName.replaceAll(/\s+/g, ' ');

export class ContractReporter implements Reporter {
  readonly counts = { passed: 0, failed: 0, untried: 0 };
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    const about = `section ${sectionOf(test.module.moduleId)}: ${nameOf(test)}`;
    const note = test.result().state === 'skipped' ? (test.result() as { readonly note?: string }).note : undefined;
    if (state === 'passed') this.#line('passed', 'passed             ', about);
    else if (note !== undefined) this.#line('untried', 'could not be tried ', `${about}: ${note}`);
    else this.#line('failed', 'FAILED             ', [about, ...errors.map(explain)].join('\n'));
  }

  /** What is wrong with a file as a whole. */
  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors())
      this.#line('failed', 'FAILED             ', `section ${sectionOf(module.moduleId)}: ${explain(error)}`);
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const error of unhandled) this.#line('failed', 'FAILED             ', explain(error));
    const { passed, failed, untried } = this.counts;
    this.#write(`\n${passed} passed, ${failed} failed, ${untried} could not be tried`);
  }

  #line(count: keyof ContractReporter['counts'], word: string, text: string): void {
    this.counts[count] += 1;
    this.#write(word + text);
  }
}

const explain = ({
  message = 'it failed and does not say why',
  diff,
}: Readonly<Partial<Record<'message' | 'diff', string>>>) =>
  stripVTControlCharacters([message, ...(diff === undefined ? [] : [diff])].join('\n')).replaceAll(/^/gm, '    ');
