import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { checkFiles } from '../src/cli/deep/limits.ts'
import { EXIT } from '../src/cli/failure.ts'
import { readConfig } from '../src/program/config.ts'
import { findUnknownInFile } from '../src/program/config-sources.ts'
import { readSettingsFile } from '../src/program/settings-file.ts'
import { installation } from './doctor/examine.ts'
import { findProgram } from './support/debian-package.ts'
import { temporaryFolder } from './support/server.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy/systemd')
const SETTINGS = join(DEPLOY, 'mailhatch.env')
const unit = readFileSync(join(DEPLOY, 'mailhatch.service'), 'utf8')

/** Of 100. systemd calls a service below 20 safe enough, and one that needs the network cannot reach 0. */
const EXPOSURE_MAX = 20

/** Runs systemd-analyze on a unit. It is installed if it is missing, so the test is never skipped. */
async function analyze(words: string[], text: string) {
  const program = await findProgram(['/usr/bin/systemd-analyze'], 'systemd')
  const path = join(temporaryFolder(), 'mailhatch.service')
  // The program of the unit is not installed here.
  writeFileSync(path, text.replace('/usr/local/bin/mailhatch', process.execPath))
  return promisify(execFile)(program, [...words, path]).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  )
}

const verify = (text: string) => analyze(['verify', '--man=no', '--recursive-errors=no'], text)
const rate = (text: string) => analyze(['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`], text)

test('systemd accepts the unit and what is added for port 25, without a warning', async () => {
  expect(await verify(unit)).toEqual({ code: 0, output: '' })
  expect(await verify(`${unit}\n${readFileSync(join(DEPLOY, 'port-25.conf'), 'utf8')}`)).toEqual({
    code: 0,
    output: '',
  })
  // Control: a name that systemd does not know.
  expect((await verify(unit.replace('RestartSec=', 'RestartSeconds='))).output).toContain('RestartSeconds')
})

test('the unit gives the service few rights', async () => {
  expect((await rate(unit)).code).toBe(0)
  // Control: without the rules about files and calls, the rating is too bad.
  const open = unit.replaceAll(/^(Protect|Private|SystemCallFilter|CapabilityBoundingSet).*$/gm, '')
  expect((await rate(open)).code).not.toBe(0)
})

test('the unit fits the program: its exit code, its time to stop and its limits', async () => {
  const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!
  expect(valueOf('RestartPreventExitStatus')).toBe(String(EXIT.config))
  const source = readFileSync(join(import.meta.dirname, '../src/cli/serve.ts'), 'utf8')
  const stopSeconds = Number(/STOP_MS_MAX = (\d+)_000/.exec(source)![1])
  expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(stopSeconds)
  const limits = { pid: '1', filesOpen: 0, filesMax: Number(valueOf('LimitNOFILE')), memoryBytesMax: 1024 ** 3 }
  expect((await checkFiles(installation({}), limits)).state).toBe('ok')
  expect(valueOf('MemoryMax')).toBe('1G')
})

test('the settings file of the unit has only settings, which serve accepts, and the folder of the unit', () => {
  const { values, problems } = readSettingsFile(SETTINGS)
  expect(problems).toEqual([])
  expect(unit).toContain(`--settings /etc/mailhatch/mailhatch.env serve`)
  const config = readConfig('serve', values)
  expect(config.dataDir).toBe('/var/lib/mailhatch')
  expect(unit).toMatch(/^StateDirectory=mailhatch$/m)
  // Control: a typing error would be found.
  expect(findUnknownInFile({ ...values, SMTP_PROT: '25' })).toEqual([expect.stringContaining('SMTP_PROT')])
})
