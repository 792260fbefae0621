import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { missing, type Need } from './needs.ts'

const NEEDS: Need[] = ['Linux', 'permission to mount']
const MODULE = new URL('needs.ts', import.meta.url).href

test('root that may not mount, as in a container, is noticed before a part runs', () => {
  expect(missing(NEEDS)).toEqual([])
  // Root in a new user namespace, but not in that of the mounts.
  const script = `import { missing } from '${MODULE}'; console.log(process.getuid(), missing(${JSON.stringify(NEEDS)}).join())`
  const given = ['--map-root-user', process.execPath, '--input-type=module', '--eval', script]
  expect(execFileSync('unshare', given, { encoding: 'utf8' })).toBe('0 permission to mount\n')
})
