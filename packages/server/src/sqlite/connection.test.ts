import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { prepareDatabase, withFileNamed } from './connection.ts'

test('the error for a file that cannot be opened names it and says what to do', () => {
  const path = join(temporaryFolder(), 'test.db')
  mkdirSync(path)
  expect(() => prepareDatabase(path, () => {})).toThrow(
    `${path} cannot be used: unable to open database file. Give the user who runs this program write access`,
  )
})

test('the error for a read-only file names it and says what to do', () => {
  const path = join(temporaryFolder(), 'test.db')
  prepareDatabase(path, (connection) => connection.exec('create table numbers (number integer) strict'))
  const reader = new DatabaseSync(path, { readOnly: true })
  const write = () => withFileNamed(path, () => reader.exec('begin immediate; insert into numbers values (1)'))
  expect(write).toThrow(`${path} cannot be used: attempt to write a readonly database. Give the user`)
  reader.close()
})

test('other errors are not changed', () => {
  const path = join(temporaryFolder(), 'test.db')
  expect(() => prepareDatabase(path, (connection) => connection.exec('no sql'))).toThrow(/^near "no": syntax error$/)
})
