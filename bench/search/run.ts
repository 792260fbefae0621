import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGivenOptions } from '../given-options.ts'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { sourceChangedAt, startProduct } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { formatFigure, MAILHATCH } from '../results.ts'
import { ask, mailhatch } from './ask.ts'
import { startDatabases, type Place } from './databases.ts'
import { fillStore, readFilled, TEAMS, type Filled } from './fill.ts'
import { measureIngest } from './ingest.ts'
import { askMailpit } from './mailpit.ts'
import { HELP, isWhole, readOptions, type Options } from './options.ts'
import { latestOf, searchesOf } from './questions.ts'
import { renderReport, type Asked } from './report.ts'

const options = readGivenOptions(readOptions, HELP)
if (options) await run(options)
else console.log(HELP)

async function run(options: Options): Promise<void> {
  const beganAt = Date.now()
  const otherWork = watchOtherWork()
  const startedAt = performance.now()
  const temporary = mkdtempSync(join(tmpdir(), 'mailhatch-search-'))
  const folder = options.folder ?? join(temporary, 'data')
  const kept = options.database === 'sqlite' ? readFilled(folder) : null
  const databases = await startDatabases(options.database)
  process.on('exit', () => {
    if (options.keep) console.log(`The store is in ${folder}.`)
    else if (!kept) removeFolder(folder)
    if (!options.keep || options.folder !== null) removeFolder(temporary)
  })
  const place = await databases.placeIn(folder)
  const filled = kept ?? (await fillStore(place, options))
  const ingest = await measureIngest(databases, temporary, options.rounds)
  console.log(`ingest: ${formatFigure(ingest.on)}/s with indexing, ${formatFigure(ingest.off)}/s without`)
  const asked = await askAll(temporary, place, filled, options)
  if (options.mailpit) asked.push(...(await askMailpit(temporary, options.mailpit, filled.counts.small, options)))
  await databases.close()
  const notes = otherWork()
  if (sourceChangedAt() > beganAt) notes.push('The source was edited during the benchmark.')
  const { questions, rounds } = options
  const seconds = (performance.now() - startedAt) / 1000
  const text = renderReport({ machine: describeMachine(), filled, asked, ingest, questions, rounds, seconds, notes })
  if (options.database === 'sqlite' && isWhole(filled.counts))
    writeFileSync(new URL('report.md', import.meta.url), text)
  console.log(`\n${text}`)
}

/** Starts Mailhatch as a user would, on the filled store. */
async function askAll(temporary: string, place: Place, { counts }: Filled, options: Options): Promise<Asked[]> {
  const { folder, url } = place
  const environment = {
    DATA_DIR: folder,
    ...(url !== null && { MAILHATCH_DATABASE_URL: url, MAILHATCH_SECRET_KEY: 'key-of-the-benchmark-for-local-use' }),
  }
  const product = await startProduct(temporary, { environment })
  const asked: Asked[] = []
  for (const team of TEAMS) {
    for (const question of [...searchesOf(team, counts[team]), latestOf(team, counts[team])]) {
      const answers = await ask(mailhatch(product.url, team), question, options.questions)
      asked.push({ who: MAILHATCH, question, answers })
      const { parameter, frequency } = question
      console.log(
        `${parameter}, ${team} team, ${frequency}: p50 ${formatFigure(answers.p50)} ms, p95 ${formatFigure(answers.p95)} ms, ` +
          `${answers.found} found`,
      )
    }
  }
  await stopPrograms()
  return asked
}
