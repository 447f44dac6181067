/** What the child finds in its input, and leaves in its output. */
export const modelFile = 'model.bin'
export const soundFile = 'sound.mp4'
export const heardFile = 'heard.srt'
