import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { customizer, loadPanel, panelId, useCustomizer } from './customizer.ts'
import classes from '../topbar/Topbar.module.css'

/** Opens and closes the customizer; its panel is fetched as soon as the pointer or the focus comes near. */
export function CustomizerButton() {
  const isOpen = useCustomizer()
  const prepare = () => void loadPanel()
  return (
    <button
      type="button"
      className={classes.button}
      aria-label="Layout customizer"
      aria-expanded={isOpen}
      aria-controls={panelId}
      // Over, not enter: React is told of no entering when what lay under the pointer before has gone.
      onPointerOver={prepare}
      onFocus={prepare}
      onClick={customizer.toggle}
    >
      <IconAdjustmentsHorizontal size={20} aria-hidden />
    </button>
  )
}
