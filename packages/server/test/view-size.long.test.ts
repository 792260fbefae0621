import { testGrowth } from './view-size.ts'

for (const seed of [1, 2, 3, 4, 5]) testGrowth({ seed, mixes: 8 })
