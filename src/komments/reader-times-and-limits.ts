import { DAY, MINUTE, SECOND } from "../config/units";

/** The longest a reader may write, in a komment or a message: in characters, as a browser's `maxlength` counts them. */
export const MOST_CHARACTERS = { name: 100, address: 300, text: 5000 };

/** Of the HTML made of a komment, in bytes: how many times as large as what was written, and so many more for short ones. */
export const MOST_GROWTH = { times: 5, plus: 1024 };

/** For reading and cleaning one, in milliseconds; it takes a hundredth. Whoever waits for it is a stranger like its writer. */
export const RENDERED_WITHIN = 300;

/** How long its writer may change a komment, in milliseconds. It may be deleted at any time. */
export const CHANGEABLE_FOR = 15 * MINUTE;

/** The least time between opening a form and sending it, in milliseconds: nobody reads it and writes into it in less. */
export const SHORTEST_WRITING = 3 * SECOND;

/** A form that lay open for longer, in milliseconds, is to be sent once more. */
export const LONGEST_WRITING = DAY;

/** How many forms one client address may send in how long: komments, messages and changes together. */
export const SENDING_RATE = { most: 10, within: 10 * MINUTE };
