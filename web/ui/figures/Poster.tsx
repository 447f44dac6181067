import { IconMovie } from '@tabler/icons-react'
import shapes from '../look/shapes.module.css'
import classes from './Poster.module.css'

/** The picture of a video beside its title, so it says nothing of its own. */
export function Poster({ src, size = 'small' }: { src: string | null; size?: 'small' | 'medium' | 'large' }) {
  return (
    <span className={`${shapes.blank} ${classes.poster}`} data-size={size} aria-hidden>
      {src === null ? (
        <IconMovie size={size === 'large' ? 32 : 16} />
      ) : (
        <img src={src} alt="" loading="lazy" />
      )}
    </span>
  )
}
