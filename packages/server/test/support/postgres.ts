import pg from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the PostgreSQL that runs during the tests, in the projects that start one. */
    postgresUrl: string
  }
}

/** Vitest calls it once before the tests of a project, and its result after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url())
  return server.remove
}

/** The URL of an empty database. It is removed with the server: dropping one takes longer than most tests. */
export async function freshDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(inject('postgresUrl'), `create database ${url.pathname.slice(1)}`)
  return url.href
}

/** Runs statements on a separate connection. */
export async function administer(url: string, statements: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}
