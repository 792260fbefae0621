// Builds the published packages: first the SDK, then the server, which is compiled against it and includes the dashboard.
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { buildDashboard, DASHBOARD } from './build-dashboard.ts'
import { buildSdk } from './build-sdk.ts'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

buildSdk()
rmSync(`${packages}/server/dist`, { recursive: true, force: true })
execFileSync('tsc', ['-p', `${packages}/server/tsconfig.build.json`], { stdio: 'inherit' })
includeTrpc(`${packages}/server/dist/http/rpc/trpc.js`)
for (const name of ['migrations', 'migrations-postgres']) {
  cpSync(`${packages}/server/src/store/${name}`, `${packages}/server/dist/store/${name}`, { recursive: true })
}
await buildDashboard()
cpSync(DASHBOARD, `${packages}/server/dist/dashboard`, { recursive: true })

/** Replaces the imports of this file by the code that they name, with its licence. */
function includeTrpc(file: string): void {
  const licence = readFileSync(new URL('../node_modules/@trpc/server/LICENSE', import.meta.url), 'utf8')
  buildSync({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    absWorkingDir: packages,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: `/*\nContains parts of @trpc/server.\n\n${licence}*/` },
  })
}
