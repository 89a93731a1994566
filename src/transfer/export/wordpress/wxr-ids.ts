/** WordPress counts posts and uploads in one row, komments and the answers to them in another: two here share one. */

export const postId = ({ id }: { id: number }) => 2 * id;
export const attachmentId = ({ id }: { id: number }) => 2 * id + 1;

export const kommentId = ({ id }: { id: number }) => 2 * id;
export const answerId = ({ id }: { id: number }) => 2 * id + 1;
