import { useRef } from 'react'
import { MenuItems } from '../sidenav/MenuItems.tsx'
import { useMenuKeys } from '../sidenav/menuKeys.ts'
import { MenuContext, type MenuState } from '../sidenav/menuState.ts'
import { useFlyouts } from '../sidenav/useFlyouts.ts'
import { useMenuItems } from '../sidenav/useMenuItems.ts'
import classes from './Topnav.module.css'

/** The menu as a bar below the top bar; its groups open when they are pressed. */
export function Topnav() {
  const { items, trail } = useMenuItems('bar')
  const box = useRef<HTMLElement>(null)
  const { closeAll, ...flyouts } = useFlyouts(box, false)
  const state: MenuState = { ...flyouts, shape: 'bar', trail, follow: closeAll }
  useMenuKeys(box, 'bar')
  return (
    <nav ref={box} className={classes.topnav} data-part="topnav" aria-label="Main" data-shape="bar">
      <ul>
        <MenuContext value={state}>
          <MenuItems items={items} path={[]} />
        </MenuContext>
      </ul>
    </nav>
  )
}
