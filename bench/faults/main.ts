import { draw } from './draw.ts'
import { tryFaults } from './try.ts'

// No arguments: all faults. Numbers: these. `draw`: others for those whose line is gone.
const given = process.argv.slice(2)
if (given[0] === 'draw') draw()
else tryFaults(given.map(Number))
