import type { ClusterStatus } from '../store/cluster-status.ts'
import type { CopyResult } from '../store/copy-store.ts'
import type { DatabaseStatus } from '../store/database-status.ts'
import type { Distribution } from '../store/distribution.ts'
import { countOf } from './count-of.ts'
import { sizeText } from './human.ts'

export function describeStatus({ schema, newestSchema, isFinishOpen, counts, cluster }: DatabaseStatus): string[] {
  if (schema === 0)
    return [`not set up yet; run mailhatch db migrate, or start the server, to create schema ${newestSchema}`]
  if (schema < newestSchema && counts === null)
    return [`schema ${schema}; run mailhatch db migrate to update it to ${newestSchema}`]
  if (counts === null) return [`schema ${schema}, from a newer Mailhatch: this version supports ${newestSchema}`]
  const { teams, mailboxes, keys, messages, missing, unindexed } = counts
  const lines = [
    isFinishOpen ? describeOpenFinish({ schema, newestSchema }) : `schema ${schema}, up to date`,
    [
      countOf(teams, 'team'),
      countOf(mailboxes, 'mailbox', 'mailboxes'),
      countOf(keys, 'key'),
      countOf(messages, 'message'),
    ].join(', '),
    ...(cluster ? describeCluster(cluster) : []),
  ]
  // A copy writes keys last, so messages without a key mean that it is incomplete.
  if (keys === 0 && messages + missing > 0) {
    const left = missing > 0 ? `, ${countOf(missing, 'message is', 'messages are')} missing` : ''
    return [...lines, `incomplete: no keys yet${left}; if a copy was interrupted, run mailhatch db copy again`]
  }
  return [
    ...lines,
    unindexed === 0 ? 'text index up to date' : `text index: ${countOf(unindexed, 'message')} not indexed yet`,
  ]
}

export function describeOpenFinish({ schema, newestSchema }: Pick<DatabaseStatus, 'schema' | 'newestSchema'>): string {
  return (
    `schema ${schema}, ready for servers of schema ${newestSchema} too; ` +
    'when no older server runs, run mailhatch db migrate --finish'
  )
}

export function describeCopy({ copied, digests }: CopyResult): string[] {
  const parts = Object.entries(copied).filter(([, count]) => count > 0)
  const rows = digests.reduce((sum, digest) => sum + digest.rows, 0)
  return [
    parts.length === 0
      ? 'Nothing left to copy.'
      : `Copied ${parts.map(([part, count]) => `${part}: ${count}`).join(', ')}.`,
    `Verified: both databases have the same ${countOf(rows, 'row')}.`,
    'Raw mail was not copied. If it is in S3 or a folder, keep INBOX_STORAGE as it is.',
    'Without INBOX_STORAGE it is in inbox.db, which stays with the worker: set WORKER_URL and ADMIN_TOKEN for the API.',
  ]
}

export function describeDistribution({ replicated, distributed }: Distribution): string[] {
  const count = replicated.length + distributed.length
  return [
    count === 0 ? 'All tables were distributed already.' : `Distributed ${countOf(count, 'table')}.`,
    'Start the servers again. mailhatch db status shows the nodes.',
  ]
}

function describeCluster({ nodes, largestTeam }: ClusterStatus): string[] {
  const sizes = nodes.map(({ name, bytes }) => `${name} (${sizeText(bytes)})`)
  const lines = [`teams on ${countOf(nodes.length, 'node')}: ${sizes.join(', ')}`]
  if (largestTeam === null) return lines
  return [...lines, `largest team: ${largestTeam.name}, ${countOf(largestTeam.messages, 'message')}`]
}
