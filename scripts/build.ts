// Makes what is published: JavaScript and types of the SDK, then the server, which is compiled against them.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

for (const name of ['sdk', 'server']) {
  rmSync(`${packages}/${name}/dist`, { recursive: true, force: true })
  execFileSync('tsc', ['-p', `${packages}/${name}/tsconfig.build.json`], { stdio: 'inherit' })
}
for (const name of ['migrations', 'migrations-postgres']) {
  cpSync(`${packages}/server/src/store/${name}`, `${packages}/server/dist/store/${name}`, { recursive: true })
}
