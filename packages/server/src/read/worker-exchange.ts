import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { UnknownTransit } from '@mailhatch/sdk'
import {
  isNothing,
  NOTHING_ON_ITS_WAY,
  type AddressRange,
  type GivenAnswer,
  type OnItsWay,
  type TransitAnswer,
  type TransitQuestion,
  type TransitWatch,
  WORKER_ID,
} from '../domain/transit.ts'
import type { Broadcasts } from '../feed/feed.ts'
import { createKnownWorkers } from './known-workers.ts'
import { shuttingDown } from './wait.ts'

/** A worker answers from its memory. One that takes longer has a problem, or is gone. */
const ANSWER_MS_MAX = 2_000
/** How often other processes hear which workers this one knows. */
const SEEN_EVERY_MS = 1_000
/** After a start, workers and other processes need this long to be known here. Workers retry twice a second. */
const STARTING_MS = 3_000
/** How long a new worker waits until all processes know it, before it accepts mail. A notification takes a millisecond. */
const JOINING_MS = 50
/** An unreachable database does not delay the start for longer. */
const JOINING_MS_MAX = 2_000
const JOIN_AGAIN_MS = 50
/** How long to listen for a worker that has no mail any more. By then the question has been asked again. */
const LISTENED_MS = 1_000
/** What fits into a response, and its answers into a request. */
const QUESTIONS_PER_POLL_MAX = 1_000
/** What fits into the 8,000 bytes of a notification. */
const ANSWERS_PER_MESSAGE = 40
const WORKERS_PER_MESSAGE = 100

/** What processes with the same database send to each other. */
type Message =
  | { is: 'question'; question: TransitQuestion }
  | { is: 'answers'; worker: string; answers: GivenAnswer[] }
  | { is: 'joined' | 'left'; worker: string }
  | { is: 'seen'; workers: string[] }
  | { is: 'unasked' }

/** What all workers have for some addresses. */
export type Inquiry = { onItsWay: OnItsWay; setAside: number; unknown: UnknownTransit[] }

/** The worker of this process. `isEmpty`: whether no mail is left that the API does not have. */
type LocalAnswers = { watch: (onEmptied: (answers: GivenAnswer[]) => void) => TransitWatch; isEmpty: () => boolean }

/** `onEmptied`: a worker that had mail has none any more. Called within a second after the answer, maybe more than once. */
type AskOptions = { waitMs: number; onEmptied?: () => void }

type WorkerPoll = { worker: string; holdMs: number; answers: GivenAnswer[]; onGone: (end: () => void) => void }

/** Asks the workers of all processes what mail they have for an address. */
export type WorkerExchange = {
  ask(range: AddressRange, options: AskOptions): Promise<Inquiry>
  /** The request of a worker in another process: takes its answers, and resolves to questions, at the latest after `holdMs`. */
  poll(poll: WorkerPoll): Promise<TransitQuestion[]>
  /** The worker stops, and has no mail left. */
  leave(worker: string): Promise<void>
  /** The worker of this process. Resolves when the other processes know it. */
  attach(worker: string, own: LocalAnswers): Promise<void>
  /** A worker has announced mail. `id` is missing if it does not answer questions. */
  noteAnnouncer(id: string | undefined): void
  /** Ends all held requests, so that workers ask another process. */
  release(): void
  close(): Promise<void>
}

type Open = {
  question: TransitQuestion
  answers: Map<string, TransitAnswer>
  /** Ids of the workers whose answer is missing. Null if another process asks. */
  missing: Set<string> | null
  onComplete: () => void
}

export function createWorkerExchange({ broadcasts }: { broadcasts: Broadcasts }): WorkerExchange {
  const self = randomUUID()
  const workers = createKnownWorkers()
  const local = new Map<string, { isEmpty: () => boolean; watch: TransitWatch }>()
  const open = new Map<string, Open>()
  /** By question. */
  const listening = new Map<string, () => void>()
  /** Requests of workers that wait for a question. */
  const held = new Map<string, () => void>()
  let startedAt = performance.now()
  let asked = 0
  let isReleased = false

  const unsubscribe = broadcasts.onMessage((text) => {
    // After a reconnect: what others have sent meanwhile is lost.
    if (text === null) startedAt = performance.now()
    else take(JSON.parse(text) as Message)
  })
  const timer = setInterval(() => {
    const here = [...local.keys(), ...held.keys()]
    for (const worker of here) workers.seen(worker)
    for (let start = 0; start < here.length; start += WORKERS_PER_MESSAGE) {
      void send({ is: 'seen', workers: here.slice(start, start + WORKERS_PER_MESSAGE) })
    }
  }, SEEN_EVERY_MS).unref()

  /** False if other processes did not get it. */
  async function send(message: Message): Promise<boolean> {
    return !broadcasts.isShared || broadcasts.send(JSON.stringify(message))
  }

  async function join(worker: string): Promise<void> {
    if (!broadcasts.isShared) return
    const endsAt = performance.now() + JOINING_MS_MAX
    while (!(await send({ is: 'joined', worker })) && performance.now() < endsAt) await pause(JOIN_AGAIN_MS)
    await pause(JOINING_MS)
  }

  function take(message: Message): void {
    if (message.is === 'question') openFor(message.question, null)
    else if (message.is === 'answers') takeAnswers(message.worker, message.answers)
    else if (message.is === 'joined') workers.joined(message.worker)
    else if (message.is === 'left') forget(message.worker)
    else if (message.is === 'unasked') workers.unaskedElsewhere()
    else if (message.is === 'seen') for (const worker of message.workers) workers.seenElsewhere(worker)
  }

  /** Asks the workers of this process, and those that wait here for a question. */
  function openFor(question: TransitQuestion, missing: Set<string> | null): Open {
    const entry: Open = { question, answers: new Map(), missing, onComplete: () => {} }
    open.set(question.id, entry)
    if (missing === null) setTimeout(() => open.delete(question.id), ANSWER_MS_MAX).unref()
    for (const [worker, { watch }] of local) {
      const given = watch.answer(question)
      if (missing === null) void send({ is: 'answers', worker, answers: [given] })
      else takeAnswers(worker, [given])
    }
    for (const wake of held.values()) wake()
    return entry
  }

  /** Sends answers to the processes that asked. */
  function passOn(worker: string, answers: GivenAnswer[]): void {
    for (let start = 0; start < answers.length; start += ANSWERS_PER_MESSAGE) {
      void send({ is: 'answers', worker, answers: answers.slice(start, start + ANSWERS_PER_MESSAGE) })
    }
  }

  /** Returns those to questions of other processes. */
  function takeAnswers(worker: string, answers: GivenAnswer[]): GivenAnswer[] {
    const others: GivenAnswer[] = []
    for (const answer of answers) {
      const entry = open.get(answer.id)
      const isSecond = entry === undefined || entry.answers.has(worker)
      if (isSecond && isNothing(answer)) listening.get(answer.id)?.()
      if (entry === undefined) continue
      entry.answers.set(worker, answer)
      if (entry.missing === null) others.push(answer)
      else if (entry.missing.delete(worker) && entry.missing.size === 0) entry.onComplete()
    }
    return others
  }

  function forget(worker: string): void {
    workers.left(worker)
    for (const { missing, onComplete } of open.values()) if (missing?.delete(worker) && missing.size === 0) onComplete()
  }

  function questionsFor(worker: string): TransitQuestion[] {
    return open
      .values()
      .filter(({ answers }) => !answers.has(worker))
      .map(({ question }) => question)
      .take(QUESTIONS_PER_POLL_MAX)
      .toArray()
  }

  async function hold(worker: string, holdMs: number, onGone: WorkerPoll['onGone']): Promise<void> {
    // A second request means that the first one was cut off.
    held.get(worker)?.()
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(ending)
        if (held.get(worker) === end) held.delete(worker)
        resolve()
      }
      const ending = setTimeout(end, holdMs)
      held.set(worker, end)
      onGone(end)
    })
  }

  return {
    async ask(range, { waitMs, onEmptied }) {
      const missing = new Set(workers.known())
      const question = { id: `${self}.${(asked += 1)}`, ...range }
      const complete = Promise.withResolvers<void>()
      const entry = openFor(question, missing)
      entry.onComplete = complete.resolve
      const timer = setTimeout(complete.resolve, Math.min(waitMs, ANSWER_MS_MAX))
      if (onEmptied) listen(question.id, onEmptied)
      try {
        const isSent = await send({ is: 'question', question })
        if (missing.size > 0) await complete.promise
        return { ...sumOf(entry.answers), unknown: unknownOf(entry, isSent) }
      } finally {
        clearTimeout(timer)
        open.delete(question.id)
      }
    },
    async poll({ worker, holdMs, answers, onGone }) {
      if (isReleased) throw shuttingDown()
      if (workers.joined(worker)) {
        await join(worker)
        if (isReleased) throw shuttingDown()
      }
      passOn(worker, takeAnswers(worker, answers))
      if (questionsFor(worker).length === 0 && holdMs > 0) await hold(worker, holdMs, onGone)
      return questionsFor(worker)
    },
    async leave(worker) {
      forget(worker)
      await send({ is: 'left', worker })
    },
    async attach(worker, own) {
      const watch = own.watch((answers) => {
        passOn(worker, takeAnswers(worker, answers))
      })
      local.set(worker, { isEmpty: own.isEmpty, watch })
      workers.joined(worker)
      await join(worker)
    },
    noteAnnouncer(id) {
      const isAskable = id !== undefined && WORKER_ID.test(id)
      if (!isAskable && workers.noteUnasked()) void send({ is: 'unasked' })
      // It has not asked for questions yet, and is expected to.
      if (isAskable && workers.joined(id)) void send({ is: 'joined', worker: id })
    },
    release() {
      isReleased = true
      for (const end of held.values()) end()
    },
    async close() {
      clearInterval(timer)
      for (const [worker, { isEmpty, watch }] of local) {
        watch.close()
        if (isEmpty()) await send({ is: 'left', worker })
      }
      unsubscribe()
    },
  }

  function listen(id: string, onEmptied: () => void): void {
    listening.set(id, onEmptied)
    setTimeout(() => listening.delete(id), LISTENED_MS).unref()
  }

  function unknownOf({ missing, answers }: Open, isSent: boolean): UnknownTransit[] {
    const unknown: UnknownTransit[] = Array.from(missing!, (worker) => ({ worker, reason: 'worker_silent' }))
    for (const [worker, { isComplete }] of answers)
      if (!isComplete) unknown.push({ worker, reason: 'worker_searching' })
    const isAlone = !broadcasts.isShared && local.size > 0
    if (!isSent) unknown.push({ worker: null, reason: 'replicas_unreachable' })
    if (!isAlone && performance.now() - startedAt < STARTING_MS) unknown.push({ worker: null, reason: 'starting' })
    if (workers.isOneUnasked()) unknown.push({ worker: null, reason: 'worker_unasked' })
    else if (answers.size + missing!.size === 0) unknown.push({ worker: null, reason: 'no_worker' })
    return unknown
  }
}

function sumOf(answers: Map<string, TransitAnswer>): Omit<Inquiry, 'unknown'> {
  const sum = { ...NOTHING_ON_ITS_WAY, setAside: 0 }
  for (const answer of answers.values()) {
    sum.transactions += answer.transactions
    sum.waiting += answer.waiting
    sum.announcing += answer.announcing
    sum.setAside += answer.setAside
  }
  const { setAside, ...onItsWay } = sum
  return { onItsWay, setAside }
}
