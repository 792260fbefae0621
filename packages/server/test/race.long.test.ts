import { describeWaitRaces } from './support/wait-races.ts'

describeWaitRaces({ waits: 1_000, early: 250, atOnce: 400 })
