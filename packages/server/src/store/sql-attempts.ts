import { ATTEMPTS_MERGED_MS, ATTEMPTS_PER_GROUP_MAX, wordFor, type AttemptReport } from '../domain/attempt.ts'
import { uuidsFrom, uuidTime } from '../domain/uuid.ts'
import type { AttemptStore, AttemptView, NewAttempt } from './attempts.ts'
import { required, type Database } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** Attempts kept per team: about 60 MB. */
const ATTEMPTS_KEPT_MAX = 100_000
/** Finding the oldest to keep reads the index of all, which costs as much as adding some hundred. */
const ATTEMPTS_PER_REMOVAL = 1_000
/** How many groups are read at first, and at most at once. One has up to 60 kB. */
const GROUPS_READ = 3
const GROUPS_READ_MAX = 24
/** How many groups are searched at once where that blocks the main thread: 2 ms. */
const GROUPS_SEARCHED = 5_000
/** Fewer neighbours are not worth a write. */
const NEIGHBOURS_MIN = 5

export function attemptStore(
  { dialect, blocksMainThread, read, write }: Database,
  { keptMax = ATTEMPTS_KEPT_MAX, perRemoval = ATTEMPTS_PER_REMOVAL } = {},
): AttemptStore {
  /** Since the last removal, by this process. */
  const added = new Map<string, number>()

  return {
    async addSmtpAttempts(teamId, groupId, attempts) {
      await write(sql`
        insert into smtp_attempts (team_id, id, attempt_count, words, attempts)
        select s.team_id, ${groupId}, ${attempts.length}, ${wordsOf(attempts)}, ${attempts.map(lineOf).join('\n')}
        from team_state s
        where s.team_id = ${teamId}
        on conflict (team_id, id) do nothing`)
      const sinceRemoval = (added.get(teamId) ?? 0) + attempts.length
      if (sinceRemoval < perRemoval) added.set(teamId, sinceRemoval)
      else {
        added.delete(teamId)
        await write(removeAllBut(teamId, keptMax))
      }
    },

    async listSmtpAttempts(view, { before, limit }) {
      const found: AttemptReport[] = []
      const wanted = wantedIn(view, before)
      // The group of `before` may have more.
      let upTo = before === null ? sql`` : sql`and id <= ${before}`
      for (;;) {
        const from = await startOfSlice(view, upTo)
        for (let count = GROUPS_READ; ; count = Math.min(2 * count, GROUPS_READ_MAX)) {
          const groups = await read<{ id: string; attempts: string }>(sql`
            select id, attempts from smtp_attempts
            where team_id = ${view.teamId} and ${dialect.isIn(sql`id`, groupsOf(view, { from: from.id, upTo, count }))}
            order by id desc`)
          for (const { attempts } of groups) found.push(...wanted(attempts))
          if (found.length > limit) return found.slice(0, limit + 1)
          if (groups.length < count) break
          upTo = sql`and id < ${groups.at(-1)!.id}`
        }
        if (from.isLast) return found
        upTo = sql`and id < ${from.id}`
      }
    },

    async timeAt(teamId, position) {
      const [message] = await read<{ at: number }>(sql`
        select stored_at as at from messages
        where team_id = ${teamId} and position <= ${position}
        order by position desc
        ${dialect.limit(1)}`)
      return message?.at ?? 0
    },

    async mergeSmtpAttempts(teamId, { before, limit }) {
      const groups = await read<{ id: string; count: number }>(sql`
        select id, attempt_count as count from smtp_attempts
        where team_id = ${teamId} and id < ${uuidsFrom(before)}
        order by id
        ${dialect.limit(limit)}`)
      const runs = smallNeighbours(groups)
      for (const ids of runs) {
        const merged = await read<{ words: string; attempts: string }>(sql`
          select words, attempts from smtp_attempts
          where team_id = ${teamId} and ${dialect.isAmong(sql`id`, ids)}
          order by id`)
        const words = new Set(merged.flatMap(({ words }) => words.trim().split(' ')))
        const lines = merged.map(({ attempts }) => attempts).join('\n')
        const [first = '', ...others] = ids
        await write(
          required(sql`
            update smtp_attempts
            set attempt_count = ${lines.split('\n').length}, words = ${` ${[...words].join(' ')} `}, attempts = ${lines}
            where team_id = ${teamId} and id = ${first}`),
          sql`delete from smtp_attempts where team_id = ${teamId} and ${dialect.isAmong(sql`id`, others)}`,
        )
      }
      return runs.length
    },

    async removeOldSmtpAttempts(teamId, { before, limit }) {
      const [removed] = await write(sql`
        delete from smtp_attempts
        where team_id = ${teamId}
          and id <= (select max(id) from (select id from smtp_attempts
                                          where team_id = ${teamId} and id < ${uuidsFrom(before)}
                                          order by id limit ${limit}) oldest)`)
      return removed
    },
  }

  /** The oldest group to search at once. */
  async function startOfSlice({ teamId, since }: AttemptView, upTo: Sql): Promise<{ id: string; isLast: boolean }> {
    const oldest = uuidsFrom(Math.max(0, since - ATTEMPTS_MERGED_MS))
    const [group] = blocksMainThread
      ? await read<{ id: string }>(sql`
          select id from smtp_attempts
          where team_id = ${teamId} and id >= ${oldest} ${upTo}
          order by id desc
          ${dialect.limit(1)} offset ${GROUPS_SEARCHED}`)
      : []
    return { id: group?.id ?? oldest, isLast: group === undefined }
  }

  /** The ids of the newest groups that may have what is wanted. Served by the index by words alone. */
  function groupsOf(
    { teamId, address }: AttemptView,
    { from, upTo, count }: { from: string; upTo: Sql; count: number },
  ): Sql {
    const { mailbox, tag = null } = address ?? {}
    const word = mailbox === undefined ? null : wordFor(tag === null ? mailbox : `${mailbox}+${tag}`)
    return sql`
      select id from smtp_attempts
      where team_id = ${teamId} and id >= ${from} ${upTo}
        and ${word === null ? sql`true` : dialect.contains(sql`words`, ` ${word} `)}
      order by id desc
      ${dialect.limit(count)}`
  }
}

/** Runs of groups that together have as many attempts as one may have. Their ids sort before that of the group after them. */
function smallNeighbours(groups: { id: string; count: number }[]): string[][] {
  const runs: { ids: string[]; count: number }[] = []
  for (const { id, count } of groups) {
    const last = runs.at(-1)
    const isNear = last && uuidTime(id) - uuidTime(last.ids[0]!) <= ATTEMPTS_MERGED_MS
    if (isNear && last.count + count <= ATTEMPTS_PER_GROUP_MAX) {
      last.ids.push(id)
      last.count += count
    } else runs.push({ ids: [id], count })
  }
  return runs.map(({ ids }) => ids).filter(({ length }) => length >= NEIGHBOURS_MIN)
}

/** Of the mailboxes, and of the addresses with their tags. */
function wordsOf(attempts: NewAttempt[]): string {
  const words = attempts.flatMap(({ mailbox, tag }) => [wordFor(mailbox), wordFor(`${mailbox}+${tag ?? ''}`)])
  return ` ${Array.from(new Set(words)).join(' ')} `
}

/** The address comes first, so that only lines that are wanted are parsed. */
type Line = [mailbox: string, tag: string, domain: string, mailboxId: string | null, report: AttemptReport]

function lineOf({ mailbox, tag, domain, mailboxId, report }: NewAttempt): string {
  const line: Line = [mailbox, tag ?? '', domain, mailboxId, report]
  return JSON.stringify(line)
}

/** The attempts of a group that the caller may see and asked for, newest first. */
function wantedIn({ since, address, mailboxId }: AttemptView, before: string | null) {
  const oldest = uuidsFrom(since)
  const { mailbox, tag = null, domain = null } = address ?? {}
  const start =
    mailbox === undefined ? '' : `${JSON.stringify(tag === null ? [mailbox] : [mailbox, tag]).slice(0, -1)},`
  return (lines: string): AttemptReport[] => {
    const ofAddress = lines.split('\n').filter((line) => line.startsWith(start))
    const attempts = ofAddress
      .map((line): Line => JSON.parse(line))
      .filter(
        ([, , itsDomain, itsMailboxId, { id }]) =>
          (domain === null || domain === itsDomain) &&
          (mailboxId === null || mailboxId === itsMailboxId) &&
          id >= oldest &&
          (before === null || id < before),
      )
    return attempts.map(([, , , , report]) => report).reverse()
  }
}

function removeAllBut(teamId: string, keptMax: number): Sql {
  return sql`
    delete from smtp_attempts
    where team_id = ${teamId}
      and id <= (select max(id)
                 from (select id, sum(attempt_count) over (order by id desc) as total
                       from smtp_attempts where team_id = ${teamId}) counted
                 where total > ${keptMax})`
}
