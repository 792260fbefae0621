import { expect, onTestFinished, test } from 'vitest'
import { serveIn, startServer, temporaryFolder } from '../../test/support/server.ts'
import { readConfig } from './config.ts'
import { findLocalAddresses } from './local-addresses.ts'
import { createLogger } from '../observe/logger.ts'
import { startApi } from './node.ts'

test('links start with APP_URL, and this machine uses the port', async () => {
  const { dataDir, url, smtpPort } = await startServer({ APP_URL: 'https://mail.example/base' })
  expect(findLocalAddresses(dataDir)).toMatchObject({
    appUrl: 'https://mail.example/base',
    url: `http://localhost:${new URL(url).port}`,
    smtp: `localhost:${smtpPort}`,
  })
})

test('the next server writes its own addresses', async () => {
  const dataDir = temporaryFolder()
  await (await serveIn(dataDir, {})).close()
  expect(findLocalAddresses(dataDir)).toBe(null)
  const { apiPort, close } = await serveIn(dataDir, {})
  onTestFinished(close)
  expect(findLocalAddresses(dataDir)?.url).toBe(`http://localhost:${apiPort}`)
})

test('an API without a worker accepts no mail', async () => {
  const dataDir = temporaryFolder()
  const config = readConfig('api', { DATA_DIR: dataDir, PORT: '0' })
  const { apiPort, close } = await startApi(config, createLogger('silent', false))
  onTestFinished(close)
  const url = `http://localhost:${apiPort}`
  expect(findLocalAddresses(dataDir)).toMatchObject({ appUrl: url, url, smtp: null })
})

test('nothing is found in a folder without a server', () => {
  expect(findLocalAddresses(temporaryFolder())).toBe(null)
})
