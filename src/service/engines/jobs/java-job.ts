// Jobs of the type Java: a program of its own, which needs nothing of an engine.
import type { EngineJob } from '../engine.ts';
import { checkSettings, mainClass, mainClassOf, mainClassOption } from './common.ts';

/** The libs are jars. A Java job has no mains. `java`: what runs them. `classPath`: what comes after them. */
export const javaJob = (java: string, classPath: readonly string[] = []): EngineJob => ({
  type: 'Java',
  hints: { options: [mainClassOption], takes: ['args'] },
  program(run) {
    const { args, configs, folder, libs } = run;
    checkSettings(configs, 'Java', [mainClass]);
    const other = Object.keys(configs).find((key) => key !== mainClass);
    if (other !== undefined)
      throw new Error(`cannot run Java job: configs have ${other}, but a Java program has none: pass it in args`);
    const path = [...libs, ...classPath].join(':');
    const memory = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:-UsePerfData', `-Djava.io.tmpdir=${folder}`];
    return { file: java, args: [...memory, '-cp', path, mainClassOf(run, 'Java'), ...args], env: {} };
  },
});
