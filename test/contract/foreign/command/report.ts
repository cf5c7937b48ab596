// A vitest reporter that says of each test whether it passed, failed or is not applicable, and why; then sums up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { page, readSections, ruleOf, sectionOf } from './rules.ts';

const sections = readSections(readFileSync(join(import.meta.dirname, '../../../..', page), 'utf8'));

const nameOf = (test: TestCase): string => test.fullName.replaceAll(/\s+/g, ' ');

export class ContractReporter implements Reporter {
  readonly counts = { passed: 0, failed: 0, inapplicable: 0 };
  readonly #write: (line: string) => void;
  readonly #cites: boolean;
  readonly #sweep: () => Promise<readonly string[]>;

  /** `cites`: with each failure, the rule that it breaks. `sweep` deletes what is left of the run at its end, and resolves to the paths of that. */
  constructor(cites: boolean, write: (line: string) => void, sweep: () => Promise<readonly string[]>) {
    this.#cites = cites;
    this.#write = write;
    this.#sweep = sweep;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    const about = `section ${sectionOf(test.module.moduleId)}: ${nameOf(test)}`;
    const note = test.result().state === 'skipped' ? (test.result() as { readonly note?: string }).note : undefined;
    if (state === 'passed') this.#line('passed', 'passed          ', about);
    else if (note !== undefined) this.#line('inapplicable', 'not applicable  ', `${about}\n    reason: ${note}`);
    else
      this.#line(
        'failed',
        'FAILED          ',
        [about, ...this.#cite(test), ...errors.map(explain), ...answersOf(test)].join('\n'),
      );
  }

  /** What is wrong with a file as a whole. */
  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors())
      this.#line('failed', 'FAILED          ', `section ${sectionOf(module.moduleId)}: ${explain(error)}`);
  }

  async onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    for (const error of unhandled) this.#line('failed', 'FAILED          ', explain(error));
    await this.#clean();
    const { passed, failed, inapplicable } = this.counts;
    this.#write(`\n${passed} passed, ${failed} failed, ${inapplicable} not applicable`);
  }

  async #clean(): Promise<void> {
    try {
      const paths = await this.#sweep();
      const why = 'a test was interrupted, or the answers to their creation were lost';
      if (paths.length > 0) this.#write(`deleted or restored in the end ${paths.length} paths: ${why}`);
      for (const path of paths) this.#write(`    ${path}`);
    } catch (error) {
      this.#line('failed', 'FAILED          ', explain(error as Error));
    }
  }

  #cite(test: TestCase): readonly string[] {
    return this.#cites ? [`    breaks ${ruleOf(sections, test.module.moduleId, nameOf(test))}`] : [];
  }

  #line(count: keyof ContractReporter['counts'], word: string, text: string): void {
    this.counts[count] += 1;
    this.#write(word + text);
  }
}

/** The last of them is most often the one that is judged. */
const answersOf = (test: TestCase): readonly string[] =>
  (test.meta().answers ?? []).map((answer) =>
    stripVTControlCharacters(`    answer: ${answer.replaceAll(/\s+/g, ' ')}`),
  );

const explain = ({
  message = 'it failed and does not say why',
  diff,
}: Readonly<Partial<Record<'message' | 'diff', string>>>) =>
  stripVTControlCharacters([message, ...(diff === undefined ? [] : [diff])].join('\n')).replaceAll(/^/gm, '    ');
