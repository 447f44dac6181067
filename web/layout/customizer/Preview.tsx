import type { Choices } from '../settings.ts'
import shapes from '#web/ui/look/shapes.module.css'
import classes from './Preview.module.css'

type Props = { choices: Choices; theme: 'light' | 'dark' }

const items = [1, 2, 3, 4]

/** The console in small. Its colours, corners and widths are the tokens themselves, so that it cannot show another look. */
export function Preview({ choices, theme }: Props) {
  const { skin, menuColor, topbarColor, orientation, size } = choices
  return (
    <span
      className={classes.preview}
      aria-hidden
      data-preview
      data-skin={skin}
      data-bs-theme={theme}
      data-menu-color={menuColor}
      data-topbar-color={topbarColor}
      data-drawn={orientation === 'horizontal' ? 'horizontal' : size}
    >
      <span className={classes.nav}>
        {items.map((item) => (
          <i key={item} />
        ))}
      </span>
      <span className={classes.bar}>
        <i />
        <i />
        <i />
      </span>
      <span className={classes.page}>
        <i className={classes.line} />
        <span className={`${shapes.card} ${classes.box}`}>
          <i className={classes.line} />
          <i className={classes.line} />
          <i className={classes.press} />
        </span>
      </span>
    </span>
  )
}
