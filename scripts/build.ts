// Builds the published packages: first the SDK, then the server, which is compiled against it and includes the dashboard.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildDashboard, DASHBOARD } from './build-dashboard.ts'
import { buildSdk } from './build-sdk.ts'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

buildSdk()
rmSync(`${packages}/server/dist`, { recursive: true, force: true })
execFileSync('tsc', ['-p', `${packages}/server/tsconfig.build.json`], { stdio: 'inherit' })
for (const name of ['migrations', 'migrations-postgres']) {
  cpSync(`${packages}/server/src/store/${name}`, `${packages}/server/dist/store/${name}`, { recursive: true })
}
await buildDashboard()
cpSync(DASHBOARD, `${packages}/server/dist/dashboard`, { recursive: true })
