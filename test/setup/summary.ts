// A vitest reporter that says at once why a test has failed, because a run can take hours, and closes with one line over all suites: N passed, N failed, N skipped.
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

export default class SummaryReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    for (const { message, stack } of test.result().errors ?? [])
      process.stdout.write(`\nFAILED ${test.module.relativeModuleId}: ${test.fullName}: ${stack ?? message}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let [passed, failed, skipped] = [0, unhandled.length, 0];
    for (const module of modules) {
      // A file that cannot be loaded has no tests of its own to fail, so the file counts.
      if (module.state() === 'failed' && module.errors().length > 0) failed += 1;
      // So does a suite whose hook fails: its tests are not run.
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
