import { expect, test } from 'vitest'
import { allInOne } from '../crash/installations.ts'
import { recordStages } from './poison-run.ts'
import { changesOf, POISONED, STAGES } from './stages.ts'
import { startWatched } from './watched-programs.ts'

test('the stages that harmful mail is tried at are those that mail passes', async () => {
  const programs = await startWatched(await allInOne(), [POISONED])
  const stages = await recordStages(programs)
  await programs.stop()
  expect(changesOf(stages)).toEqual([])
  expect(changesOf(['feed.other', ...STAGES.slice(1)])).toEqual([`${STAGES[0]} is missing`, 'feed.other is new'])
})
