import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))
/** Prints the packages that a program has loaded when it ends. */
const WATCH = `import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  load(url, context, next) {
    packages.add(/.*node_modules\\/((?:@[^\\/]+\\/)?[^\\/]+)/.exec(url)?.[1])
    return next(url, context)
  },
})
process.on('exit', () => console.log(JSON.stringify([...packages].filter(Boolean))))`

test('a command that asks the API loads neither the libraries of the server nor those of databases', () => {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', watch, PROGRAM, 'list'], {
    encoding: 'utf8',
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'], HOME: temporaryFolder() },
  })
  expect(stderr).toContain('No API key')
  expect(JSON.parse(stdout)).toEqual(['commander'])
})
