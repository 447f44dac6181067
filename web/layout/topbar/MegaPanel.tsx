import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { product } from '#web/ui/product.ts'
import { useUser } from '../../session/useSession.ts'
import { megaColumns, type MegaColumn } from './megaLinks.ts'
import { useScrollStop } from './useScrollStop.ts'
import menu from '#web/ui/overlays/menu.module.css'
import two from '#web/ui/look/twoLines.module.css'
import panel from './BarPanel.module.css'
import classes from './MegaPanel.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** What the mega-menu shows, fetched when the menu is first opened. */
export function MegaPanel({ onFollow }: { onFollow: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useScrollStop(box)
  return (
    <div ref={box} className={`${panel.scrolls} ${classes.mega}`}>
      <div className={classes.head}>
        <h2>Welcome to {product.name}</h2>
        <p>Send a video to people by name, and see who watched which seconds.</p>
      </div>
      <div className={classes.columns}>
        {megaColumns(useUser()).map((column) => (
          <Column key={column.title} {...column} onFollow={onFollow} />
        ))}
      </div>
    </div>
  )
}

function Column({ title, links, onFollow }: MegaColumn & { onFollow: () => void }) {
  return (
    <section>
      <h3 className={shapes.hint}>{title}</h3>
      <ul>
        {links.map(({ label, about, icon: Icon, to }) => (
          <li key={to}>
            <Link to={to} className={`${menu.row} ${classes.link}`} onClick={onFollow}>
              <span className={`${shapes.blank} ${two.sign}`} aria-hidden>
                <Icon size={18} stroke={1.6} />
              </span>
              <span className={two.lines}>
                <span>{label}</span>
                <span>{about}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
