import { describeWaitRaces } from './support/wait-races.ts'

// A thousand of them are in race.long.test.ts.
describeWaitRaces({ waits: 200, early: 50, atOnce: 100 })
