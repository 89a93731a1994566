/** Posts may embed videos from these hosts. The content security policy allows only these frames. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
