import { cutText } from '../domain/cut-text.ts'
import { AppError } from '../domain/errors.ts'
import { mailboxCandidates, mailboxSeed, starterMailboxCandidates, teamNameFor } from '../domain/onboarding.ts'
import type { PlanName } from '../domain/plans.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { Mailbox, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import { createMailbox, type MailboxPorts } from './mailboxes.ts'
import { startTeam, TEAM_NAME_MAX } from './teams.ts'

/** Also for a first mailbox of an existing team. */
export type OnboardingPorts = MailboxPorts & {
  store: MailboxPorts['store'] & Pick<Store, 'addTeamFor' | 'listMailboxes'>
  random: RandomInt
}

type Newcomer = { id: string; email: string; name: string }

/** The names are validated input from the user. Missing ones are generated. */
export type SetupInput = { teamName?: string | undefined; mailboxName?: string | undefined; plan: PlanName }

/** Creates the first team of a user, with a mailbox. */
export async function setUpTeam(
  ports: OnboardingPorts,
  user: Newcomer,
  input: SetupInput,
): Promise<{ team: Team; mailbox: Mailbox }> {
  const { mailboxName, plan } = input
  if (mailboxName !== undefined) await requireFree(ports, mailboxName)
  const name = input.teamName ?? cutText(teamNameFor({ fullName: user.name, email: user.email }), TEAM_NAME_MAX)
  const team = await startTeam(ports, { userId: user.id, name, plan })
  if (mailboxName !== undefined) return { team, mailbox: await createMailbox(ports, team, mailboxName) }
  const seed = mailboxSeed(user.email, ports.random)
  return { team, mailbox: await createFirst(ports, team, mailboxCandidates(seed, ports.random)) }
}

/** The team's first mailbox, created if there is none. */
export async function ensureStarterMailbox(
  ports: OnboardingPorts,
  team: Team,
  name: string | undefined,
): Promise<Mailbox> {
  const first = await findFirstMailbox(ports, team)
  if (first) return first
  if (name !== undefined) return createMailbox(ports, team, name)
  return createFirst(ports, team, starterMailboxCandidates(team.name, ports.random))
}

export async function findFirstMailbox({ store }: Pick<OnboardingPorts, 'store'>, team: Team): Promise<Mailbox | null> {
  const mailboxes = await store.listMailboxes(team.id)
  return mailboxes.reduce<Mailbox | null>(
    (first, other) => (first && first.createdAt <= other.createdAt ? first : other),
    null,
  )
}

/** Checked before the team is created, so that the user can choose another name. */
async function requireFree({ store, rootDomain }: OnboardingPorts, name: string): Promise<void> {
  if (await store.findMailbox({ domain: rootDomain, name })) {
    throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  }
}

async function createFirst(ports: OnboardingPorts, team: Team, names: Iterable<string>): Promise<Mailbox> {
  for (const name of names) {
    const mailbox = await createMailbox(ports, team, name).catch(nullIfTaken)
    if (mailbox) return mailbox
  }
  throw new AppError('mailbox_taken', 'Unable to generate a mailbox name.')
}

function nullIfTaken(error: unknown): null {
  if (error instanceof AppError && error.code === 'mailbox_taken') return null
  throw error
}
