import { setImmediate as nextTurn } from 'node:timers/promises'
import { createAcceptAnnouncement } from '../src/intake/accept-announcement.ts'
import { catchDomain, releaseDomain } from '../src/manage/caught-domains.ts'
import { changeDomain } from '../src/manage/custom-domain.ts'
import { createMailbox, isNameFree, renameMailbox } from '../src/manage/mailboxes.ts'
import { AppError } from '../src/domain/errors.ts'
import { newId, newSecret } from '../src/random.ts'
import { addTeam } from '../src/store/store-contract.ts'
import type { Team } from '../src/store/mailboxes.ts'
import type { Store } from '../src/store/store.ts'
import { openBeside } from './support/accounts.ts'
import { announcement } from './support/announce.ts'
import { seededRandom } from './support/seeded-random.ts'
import { temporaryFolder } from './support/server.ts'

const ROOT = 'root.example'
/** Few, so that they often collide. */
const DOMAINS = ['one.example', 'two.example']
const NAMES = ['shop', 'orders', 'billing-x']
const TEAMS = 3
const ANY = 1_000_000
/** The team that catches single domains. */
const CATCHER = 0

/** What a team has by the rule: names that it chose or that are on its own domain, and names that it only caught. */
type ModelTeam = { domain: string | null; names: Map<string, 'own' | 'caught'> }

export type NamesReport = {
  steps: number
  mails: number
  repeated: number
  caught: number
  refused: number
  wrong: string[]
}

/**
 * Teams get and give up domains and names and receive mail, in a random order, while the catch-all team and the list of
 * caught domains change. Each result is compared with a rule of a few lines.
 */
export async function moveNames(sizes: { runs: number; steps: number; seed: number }): Promise<NamesReport> {
  const random = seededRandom(sizes.seed)
  const store = await openBeside(temporaryFolder())
  const report: NamesReport = { steps: 0, mails: 0, repeated: 0, caught: 0, refused: 0, wrong: [] }
  for (let run = 0; run < sizes.runs; run++) {
    // Each run has its own root domain and domains, so that teams of earlier runs do not interfere.
    const play = await openPlay(store, run)
    const done: string[] = []
    for (let step = 0; step < sizes.steps; step++) {
      const team = random.below(TEAMS)
      const [name, other] = [random.pick(NAMES), random.pick(NAMES)]
      const domain = random.pick([ROOT, ...DOMAINS])
      const action = random.pick([
        'mail',
        'mail',
        'mail',
        'repeat',
        'repeat',
        'create',
        'rename',
        'move',
        'move',
        'remove',
        'catch',
        'catchDomain',
        'release',
      ] as const)
      const outcome = await play[action]({ team, name, other, domain, among: random.below(ANY) })
      done.push(`${action} ${team} ${name} ${other} ${domain}: ${outcome.actual}`)
      report.steps++
      if (action === 'mail') report.mails++
      if (outcome.actual === 'duplicate') report.repeated++
      if (outcome.isCaught) report.caught++
      if (outcome.actual.startsWith('refused')) report.refused++
      if (outcome.actual !== outcome.expected) report.wrong.push(`${done.join('\n')}, expected ${outcome.expected}`)
    }
  }
  return report
}

/** `among` is a random number, to choose from a list that grows. */
type Wish = { team: number; name: string; other: string; domain: string; among: number }
type Outcome = { actual: string; expected: string; isCaught?: boolean }

async function openPlay(store: Store, run: number) {
  const at = (domain: string) => `run${run}.${domain}`
  const rootDomain = at(ROOT)
  const teams = await Promise.all(Array.from({ length: TEAMS }, () => addTeam(store, { domain: null })))
  const models: ModelTeam[] = teams.map(() => ({ domain: null, names: new Map() }))
  let catching: number | null = 0
  const caughtDomains = new Set<string>()
  let takenBy: string | null = null
  const stored: ReturnType<typeof announcement>[] = []
  const ports = { store, rootDomain, newId, now: Date.now }
  const domainPorts = { ...ports, domainProof: 'off' as const, resolveTxt: async () => [], newToken: newSecret }
  const acceptAnnouncement = createAcceptAnnouncement({
    ...ports,
    feed: { wake: (teamId: string) => void (takenBy = teamId) },
    wakeSender: () => {},
    catchAllTeam: (domain) => (catching === null ? store.findCatchingTeam(domain) : now(catching)),
    recordRejection: () => {},
  })

  const now = async (number: number): Promise<Team> => (await store.findTeam(teams[number]!.id))!
  const ownerOf = (domain: string) => models.findIndex((model) => model.domain === domain)
  const onRoot = (name: string, except = -1) =>
    models.findIndex(({ domain, names }, number) => number !== except && domain === null && names.get(name) === 'own')
  const mailboxOf = (team: number, name: string) => store.findTeamMailbox({ teamId: teams[team]!.id, name })

  async function outcomeOf(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof AppError) return `refused ${error.code}`
        throw error
      },
    )
  }

  return {
    async mail({ name, domain }: Wish): Promise<Outcome> {
      takenBy = null
      const owner = ownerOf(domain)
      const holder = owner >= 0 ? owner : domain === ROOT ? onRoot(name) : -1
      const catcher = catching ?? (caughtDomains.has(domain) ? CATCHER : -1)
      const isCaught = holder < 0 && catcher >= 0
      const receiver = isCaught ? catcher : holder
      // A client learns of a change in a later turn of the event loop. Mails of one turn share what is read of their inbox.
      await nextTurn()
      const announced = announcement({ domain: at(domain), mailbox: name })
      const outcome = await outcomeOf(acceptAnnouncement(announced))
      const actual = takenBy === null ? outcome : `team ${teams.findIndex(({ id }) => id === takenBy)}`
      if (receiver < 0) return { actual, expected: `refused ${domain === ROOT ? 'mailbox' : 'inbox_domain'}_unknown` }
      stored.push(announced)
      const { names } = models[receiver]!
      if (!names.has(name)) names.set(name, isCaught ? 'caught' : 'own')
      return { actual, expected: `team ${receiver}`, isCaught }
    },

    /** Announces a stored mail again, whichever team has its address now. */
    async repeat({ among }: Wish): Promise<Outcome> {
      if (stored.length === 0) return { actual: 'none', expected: 'none' }
      await nextTurn()
      const { status } = await acceptAnnouncement(stored[among % stored.length])
      return { actual: status, expected: 'duplicate' }
    },

    async create({ team, name }: Wish): Promise<Outcome> {
      const model = models[team]!
      const isTaken = model.names.get(name) !== 'own' && model.domain === null && onRoot(name, team) >= 0
      const free = await isNameFree(ports, await now(team), name)
      const actual = await outcomeOf(createMailbox(ports, await now(team), name))
      const expected = isTaken ? 'refused mailbox_taken' : 'done'
      const isFree = !isTaken && model.names.get(name) !== 'own'
      if (!isTaken) model.names.set(name, 'own')
      return { actual: `${actual}, free ${free}`, expected: `${expected}, free ${isFree}` }
    },

    async rename({ team, name, other }: Wish): Promise<Outcome> {
      const model = models[team]!
      const mailbox = await mailboxOf(team, name)
      if (!mailbox || !model.names.has(name)) {
        return { actual: String(mailbox !== null), expected: String(model.names.has(name)) }
      }
      const isUsed = name !== other && model.names.has(other)
      const isSame = name === other && model.names.get(name) === 'own'
      const isTaken = isUsed || (!isSame && model.domain === null && onRoot(other, team) >= 0)
      const actual = await outcomeOf(renameMailbox(ports, teams[team]!.id, mailbox.id, other))
      if (!isTaken) {
        model.names.delete(name)
        model.names.set(other, 'own')
      }
      return { actual, expected: isTaken ? 'refused mailbox_taken' : 'done' }
    },

    /** To a domain, or to the shared root. */
    async move({ team, domain }: Wish): Promise<Outcome> {
      const model = models[team]!
      const wish = domain === ROOT ? null : domain
      const actual = await outcomeOf(changeDomain(domainPorts, await now(team), wish && at(wish)))
      if (wish !== null) {
        const owner = ownerOf(wish)
        if (owner >= 0 && owner !== team) return { actual, expected: 'refused domain_taken' }
      } else if (Array.from(model.names).some(([name, how]) => how === 'own' && onRoot(name, team) >= 0)) {
        return { actual, expected: 'refused mailbox_taken' }
      }
      model.domain = wish
      return { actual, expected: 'done' }
    },

    async remove({ team, name }: Wish): Promise<Outcome> {
      const mailbox = await mailboxOf(team, name)
      const isRemoved = mailbox !== null && (await store.hideMailbox(mailbox, Date.now()))
      return { actual: String(isRemoved), expected: String(models[team]!.names.delete(name)) }
    },

    /** Makes this team, or none, the catch-all team. */
    async catch({ team, name }: Wish): Promise<Outcome> {
      catching = name === NAMES[0] ? null : team
      return { actual: 'done', expected: 'done' }
    },

    async catchDomain({ domain }: Wish): Promise<Outcome> {
      const actual = await outcomeOf(catchDomain(ports, await now(CATCHER), at(domain)))
      if (ownerOf(domain) >= 0) return { actual, expected: 'refused domain_taken' }
      caughtDomains.add(domain)
      return { actual, expected: 'done' }
    },

    async release({ domain }: Wish): Promise<Outcome> {
      const actual = await outcomeOf(releaseDomain(ports, await now(CATCHER), at(domain)))
      return { actual, expected: caughtDomains.delete(domain) ? 'done' : 'refused not_found' }
    },
  }
}
