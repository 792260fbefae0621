import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { readSettingsFile } from './settings-file.ts'

function read(text: string) {
  const path = join(temporaryFolder(), 'mailhatch.env')
  writeFileSync(path, text)
  return readSettingsFile(path)
}

test('values, comments, quotes and several lines are read', () => {
  const text = `# ours\n\nPORT=4000 # comment\nexport HOST="0.0.0.0"\nMAILHATCH_SMTP_PORT='4025'\nS3_SECRET_ACCESS_KEY="one\ntwo"\n`
  expect(read(text)).toEqual({
    values: { PORT: '4000', HOST: '0.0.0.0', MAILHATCH_SMTP_PORT: '4025', S3_SECRET_ACCESS_KEY: 'one\ntwo' },
    problems: [],
  })
})

test('every line without effect is a problem', () => {
  expect(read('PORT 4000\nSMTP_PORT: 4025\n\nHOSTS=0.0.0.0\nAPP_NAME=shop\nkey="\n=\n"\n').problems).toEqual([
    'line 1: must be NAME=value',
    'line 2: must be NAME=value',
    'APP_NAME: is not a setting',
    'HOSTS: is not a setting; did you mean HOST?',
    'key: is not a setting',
  ])
})
