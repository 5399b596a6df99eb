// Written by `make index`. Do not edit.
/** What is special about each platform, as its definition says. */
export const PLATFORM_TRAITS = {
  "msgd": {
    "caps": {
      "textMax": 2000,
      "reactions": true
    },
    "spokenAnswers": "ogg",
    "address": {
      "chat": "[0-9]+",
      "thread": "[0-9]+",
      "form": "<channel>[:<thread>], digits"
    },
    "sendKey": {
      "form": "nonce",
      "windowMs": 120000
    },
    "joins": {
      "quiet": [
        {
          "fromChars": 1900,
          "ms": 2000
        },
        {
          "fromChars": 0,
          "ms": 600
        }
      ]
    },
    "display": {
      "tools": "all"
    },
    "monospace": true,
    "alerts": true,
    "chatTypes": {
      "begins": {},
      "otherwise": "channel"
    },
    "threadTypes": {
      "group": "thread",
      "channel": "thread",
      "forum": "thread",
      "thread": "thread"
    },
    "listsDecide": true,
    "roleLists": true
  },
  "msgf": {
    "caps": {
      "textMax": 8000,
      "partialEditsMax": 18,
      "reactions": true
    },
    "spokenAnswers": "ogg",
    "address": {
      "chat": "o[cun]_[A-Za-z0-9_-]+",
      "thread": "[^\\s:]+",
      "form": "oc_..., ou_... or on_...[:<thread>]"
    },
    "sendKey": {
      "windowMs": 3600000
    },
    "joins": {
      "quiet": [
        {
          "fromChars": 4000,
          "ms": 2000
        },
        {
          "fromChars": 0,
          "ms": 600
        }
      ],
      "filesMs": 800,
      "most": {
        "messages": 8,
        "chars": 4000
      }
    },
    "alerts": true
  },
  "msgg": {
    "caps": {
      "textMax": 4000,
      "buttons": "no"
    },
    "address": {
      "chat": "spaces/[^/\\s]+",
      "thread": "[^/\\s]+",
      "between": "/threads/",
      "threadHoldsChat": true,
      "form": "spaces/<id>[/threads/<id>]"
    },
    "sendKey": {
      "windowMs": 86400000
    },
    "editEveryMs": 1500,
    "monospace": true,
    "quotes": false,
    "listsDecide": true,
    "oauthClientFile": "msgg_user_client_secret.json"
  },
  "msgl": {
    "caps": {
      "textMax": 4500,
      "messagesPerCall": 5,
      "edits": false,
      "threads": false,
      "buttons": "slow-answer",
      "pushCosts": true
    },
    "spokenAnswers": "m4a",
    "address": {
      "chat": "[UCR][0-9A-Fa-f]{32}",
      "form": "U..., C... or R... with 32 hex digits"
    },
    "sendKey": {
      "windowMs": 86400000,
      "replyRightMs": 60000
    },
    "display": {
      "tools": "off",
      "busyDetail": false,
      "interim": false,
      "life": false,
      "streaming": false
    },
    "streams": false,
    "sparing": true,
    "chatTypes": {
      "begins": {
        "U": "dm"
      },
      "otherwise": "group"
    }
  },
  "msgt": {
    "caps": {
      "textMax": 4096,
      "reactions": true
    },
    "spokenAnswers": "ogg",
    "address": {
      "chat": "-?[0-9]+|@[A-Za-z0-9_]+",
      "thread": "[0-9]+",
      "form": "<chat>[:<thread>], chat -100123 or @name"
    },
    "joins": {
      "quiet": [
        {
          "fromChars": 4000,
          "ms": 1000
        },
        {
          "fromChars": 1025,
          "ms": 300
        },
        {
          "fromChars": 321,
          "ms": 240
        },
        {
          "fromChars": 0,
          "ms": 180
        }
      ],
      "filesMs": 800,
      "albums": true
    },
    "display": {
      "tools": "off",
      "busyDetail": false
    },
    "monospace": true,
    "alerts": true,
    "followUpGraceMs": 3000,
    "jobThread": true,
    "directTopics": true,
    "directChatIsUser": true,
    "chatTypes": {
      "begins": {
        "-": "group",
        "@": "group"
      },
      "otherwise": "dm"
    },
    "threadTypes": {
      "group": "forum"
    },
    "listsDecide": true,
    "groupLists": {
      "chatsBegin": "-"
    }
  },
  "msgw": {
    "caps": {
      "textMax": 28000
    },
    "spokenAnswers": "none",
    "address": {
      "chat": "(?!;messageid=)[^]+",
      "thread": "[^]+",
      "between": ";messageid=",
      "form": "<conversation id>[;messageid=<id>]"
    },
    "editEveryMs": 1500,
    "monospace": true,
    "alerts": true,
    "listsDecide": true
  },
  "msgx": {
    "caps": {
      "textMax": 2000,
      "edits": false,
      "threads": false,
      "buttons": "no"
    },
    "address": {
      "chat": "[^]+",
      "form": "<user or group id>"
    },
    "joins": {
      "quiet": [
        {
          "fromChars": 0,
          "ms": 3000
        }
      ],
      "most": {
        "ms": 5000
      }
    },
    "display": {
      "tools": "off",
      "busyDetail": false,
      "interim": false,
      "life": false,
      "streaming": false
    },
    "streams": false,
    "quotes": false,
    "sparing": true,
    "dmPolicy": true,
    "idsByCase": true
  },
} as const;
