import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMegabytes } from '../programs.ts'
import { median, percentile, perSecond } from '../statistics.ts'
import type { Plan } from './options.ts'
import type { Peer } from './peer.ts'
import {
  INGESTS,
  LATEST_OF_EACH,
  LATEST_OF_ONE,
  LATEST_UNDER_LOAD,
  RECIPIENTS,
  SEARCH,
  SMALL_REUSED,
} from './scenarios.ts'
import { Trial } from './trial.ts'

export type Measuring = {
  peer: Peer
  folder: string
  plan: Plan
  /** Called with each figure of the program in this round. */
  onFigure: (scenario: string, unit: string, value: number, stored?: number) => void
}

/** For background work after the start or a load. */
const SETTLE_MS = 3_000
/** Numbers of addresses that no load uses. */
const NEW_ADDRESSES = [10_000_000, 20_000_000, 30_000_000] as const
const WORD = 'confirmation'

/** Ingest by a program that has just started, as in a job of a test run: each in a start of its own. */
export async function measureFresh({ peer, folder, plan, onFigure }: Measuring): Promise<void> {
  for (const ingest of INGESTS) {
    await Trial.of(peer, folder, async (trial) => {
      onFigure('start until it answers', 'ms', trial.running.startMs)
      const sent = await trial.send(ingest, { durationMs: plan.sampleMs })
      onFigure(`${ingest.name}, just started`, 'mails/s', sent.perSecond)
    })
  }
}

/** The first mails after the start, and mails when there are others and all code is compiled. */
export async function measureFirst({ peer, folder, plan, onFigure }: Measuring): Promise<void> {
  await Trial.of(peer, folder, async (trial) => {
    const see = async (label: string, first: number, mails: number, isOneAddress = false) => {
      const { acknowledgedToSeen, connectToSeen } = await trial.see(first, mails, isOneAddress)
      onFigure(`from the 250 until a poll sees it, ${label}, p50`, 'ms', median(acknowledgedToSeen))
      onFigure(`from the 250 until a poll sees it, ${label}, p99`, 'ms', percentile(acknowledgedToSeen, 99))
      onFigure(`from connect until a poll sees it, ${label}, p50`, 'ms', median(connectToSeen))
    }
    await see(`new address, first ${plan.firstMails} mails`, NEW_ADDRESSES[0], plan.firstMails)
    await trial.send(SMALL_REUSED, { mailsMax: plan.storedMails })
    await sleep(SETTLE_MS)
    const stored = `${shown(plan.storedMails)} stored`
    await see(`new address, ${stored}`, NEW_ADDRESSES[1], plan.warmMails)
    await see(`same address, ${stored}`, NEW_ADDRESSES[2], plan.warmMails, true)
  })
}

/** Ingest after many mails, and the memory and disk that these took. */
export async function measureWarm({ peer, folder, plan, onFigure }: Measuring): Promise<void> {
  await Trial.of(peer, folder, async (trial) => {
    const { pid, dataFolder } = trial.running
    await sleep(SETTLE_MS)
    onFigure('memory when idle', 'MB', residentMegabytes(pid))
    const before = dataFolder === null ? 0 : bytesIn(dataFolder)
    const { mails } = await trial.send(SMALL_REUSED, { mailsMax: plan.warmUpMails, durationMs: plan.warmUpMs })
    await sleep(SETTLE_MS)
    if (dataFolder !== null) onFigure('disk for a mail of 2 kB', 'kB', (bytesIn(dataFolder) - before) / mails / 1_000)
    for (const ingest of INGESTS) {
      const sent = await trial.send(ingest, { durationMs: plan.sampleMs })
      onFigure(`${ingest.name}, after ${shown(plan.warmUpMails)} mails`, 'mails/s', sent.perSecond)
    }
    onFigure('memory at the end', 'MB', residentMegabytes(pid))
  })
}

/** Polls for the newest mail of one address and of many, and searches, while more and more is stored. */
export async function measureLatest({ peer, folder, plan, onFigure }: Measuring): Promise<void> {
  await Trial.of(peer, folder, async (trial) => {
    const durationMs = plan.sampleMs
    let stored = 0
    for (const size of plan.sizes) {
      const filled = await trial.send(SMALL_REUSED, { mailsMax: size - stored })
      const poll = async (scenario: string, request: string, freshBelow?: number) => {
        const load = { request, durationMs, ...(freshBelow === undefined ? {} : { freshBelow }) }
        const { answers, elapsedMs, p99Ms } = await trial.poll(load)
        onFigure(scenario, 'answers/s', perSecond(answers, elapsedMs), size)
        onFigure(`${scenario}, p99`, 'ms', p99Ms, size)
      }
      await poll(LATEST_OF_ONE, trial.latestOf(1))
      await poll(LATEST_OF_EACH, trial.latestOf('each'), RECIPIENTS)
      const sending = trial.send(SMALL_REUSED, { mailsPerSecond: filled.perSecond / 2, durationMs })
      await poll(LATEST_UNDER_LOAD, trial.latestOf('each'), RECIPIENTS)
      stored = size + (await sending).mails
      if (trial.running.search) await poll(SEARCH, trial.running.search(WORD))
    }
  })
}

const shown = (count: number) => count.toLocaleString('en-US')

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  // Blocks, because many small files take more room than their bytes.
  return files.reduce((sum, file) => sum + 512 * statSync(join(file.parentPath, file.name)).blocks, 0)
}
