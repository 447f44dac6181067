import { IconLayoutGrid, IconTable } from '@tabler/icons-react'
import type { Shape } from './search.ts'
import { named } from '#web/ui/tips.ts'
import classes from './ShapeChoice.module.css'

const choices = [
  { shape: 'gallery', word: 'Gallery', Icon: IconLayoutGrid },
  { shape: 'table', word: 'Table', Icon: IconTable },
] as const

/** Pictures or rows. */
export function ShapeChoice({ shape, onChoose }: { shape: Shape; onChoose: (next: Shape) => void }) {
  return (
    <div role="group" aria-label="Show videos as" className={classes.shape} data-screen-only>
      {choices.map(({ shape: one, word, Icon }) => (
        <button
          key={one}
          type="button"
          aria-pressed={shape === one}
          {...named(word)}
          onClick={() => onChoose(one)}
        >
          <Icon size={18} aria-hidden />
        </button>
      ))}
    </div>
  )
}
