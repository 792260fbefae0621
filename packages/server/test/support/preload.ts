import { join } from 'node:path'

const TESTS = join(import.meta.dirname, '..')

/**
 * Arguments of Node that load modules of the tests before a program, such as `load/late-intake.ts`, to change it. With
 * `--require`, its threads load them too. With `--import` they would not.
 */
export function preload(...modules: string[]): string[] {
  return modules.flatMap((module) => ['--require', join(TESTS, module)])
}
