import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { describeLeftAlone } from '../src/program/left-alone.ts'
import { runServe, startProgram } from './support/program.ts'
import { serveIn, temporaryFolder } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'

/** Nothing listens on this port. */
const OF_APP = 'postgres://app:app-password@127.0.0.1:9/app'
const KEY = 'a secret key of at least 32 characters'

test('serve leaves the variables of an app alone, and says so in one line', async () => {
  const dataDir = temporaryFolder()
  const ofApp = { DATABASE_URL: OF_APP, DATABASE_DIRECT_URL: OF_APP, SECRET_KEY: 'short' }
  const { stop } = await startProgram('serve', { DATA_DIR: dataDir, ...ofApp })
  const { stdout, stderr } = await stop()
  const [line, ...others] = stdout.split('\n').filter((text) => text.includes('DATABASE_URL'))
  expect(line).toMatch(
    /^ {2}Note {7}DATABASE_URL, DATABASE_DIRECT_URL and SECRET_KEY were left alone, because they may/,
  )
  expect(line).toContain('MAILHATCH_DATABASE_URL, MAILHATCH_DATABASE_DIRECT_URL and MAILHATCH_SECRET_KEY.')
  expect(others).toEqual([])
  expect(stdout + stderr).not.toContain('app-password')
  expect(existsSync(join(dataDir, 'mailhatch.db'))).toBe(true)
})

test('a database of another kind is left alone too', async () => {
  const environment = { DATABASE_URL: 'mysql://app@localhost/app' }
  const running = await serveIn(temporaryFolder(), environment)
  await running.close()
  const { leftAlone } = readConfig('serve', environment)
  expect(describeLeftAlone(leftAlone)).toMatch(
    /^DATABASE_URL was left alone, because it may .* MAILHATCH_DATABASE_URL\.$/,
  )
  expect(describeLeftAlone(readConfig('serve', {}).leftAlone)).toBeNull()
})

test('an installation that used SECRET_KEY stops, and names the variable to use', async () => {
  const dataDir = temporaryFolder()
  const { apiPort, firstStart, close } = await serveIn(dataDir, {
    MAILHATCH_SECRET_KEY: KEY,
    WEBHOOK_ALLOWED_HOSTS: 'localhost:4000',
  })
  await webhookClient(`http://127.0.0.1:${apiPort}`, firstStart!.apiKey).add({ url: 'http://localhost:4000/' })
  await close()
  const { code, stderr } = await runServe({ DATA_DIR: dataDir, SECRET_KEY: KEY })
  expect([code, stderr]).toEqual([78, expect.stringMatching(/SECRET_KEY=\(hidden\).* Set MAILHATCH_SECRET_KEY/)])
  expect(stderr).not.toContain(KEY)
  // With that name it starts, and so it does with the key of an app, which encrypts nothing here.
  await (await serveIn(dataDir, { MAILHATCH_SECRET_KEY: KEY })).close()
  await (await serveIn(dataDir, { SECRET_KEY: `${KEY} of an app` })).close()
})

test('with a data folder that was used with PostgreSQL, a database that is down is not replaced by a file', async () => {
  const dataDir = temporaryFolder()
  await (await serveIn(dataDir, {})).close()
  // Control: the folder has a database of its own.
  await (await serveIn(dataDir, { DATABASE_URL: OF_APP })).close()
  for (const ending of ['', '-wal', '-shm']) rmSync(join(dataDir, `mailhatch.db${ending}`), { force: true })
  for (const DATABASE_URL of [OF_APP, OF_APP.replace(':9/', ':9,127.0.0.1:1/')]) {
    const { code, stderr } = await runServe({ DATA_DIR: dataDir, DATABASE_URL })
    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(/DATABASE_URL=\(hidden\): is unreachable.* Set MAILHATCH_DATABASE_URL/),
    ])
  }
})
