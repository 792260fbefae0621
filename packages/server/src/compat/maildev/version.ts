import type { WholeMail } from '../mails.ts'
import type { IsSame } from './filter.ts'
import { presentSecond, presentThird } from './present.ts'

/** Version 3 has the paths of version 2 below `/api`, and other fields. */
export type Version = {
  prefix: '' | '/api'
  present(mail: WholeMail, state: { isRead: boolean }): Record<string, unknown>
  isSame: IsSame
  /** Parameters of a list that are not filters. */
  parameters: string[]
}

export const SECOND: Version = {
  prefix: '',
  present: presentSecond,
  isSame: (found, wanted) => wanted !== '' && found === wanted,
  parameters: ['skip'],
}

export const THIRD: Version = {
  prefix: '/api',
  present: presentThird,
  isSame: (found, wanted) => String(found) === wanted,
  parameters: ['skip', 'limit', 'sort'],
}
