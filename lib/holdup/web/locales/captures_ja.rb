# frozen_string_literal: true

module Holdup
  class Web
    module Locales
      # The same in Japanese.
      CAPTURES_JA = {
        title_captures: "キャプチャ", title_capture: "キャプチャの内容",
        captures_kept: "保存されているキャプチャ", taken: "取得時刻", capture_why: "きっかけ", capture_unit: "処理", capture_stall: "その GVL 待ち", capture_holder: "待たせた処理と時間", capture_events: "イベント数",
        capture_length: "長さ", capture_cost: "CPU の負担", capture_size: "大きさ", capture_broken: "読めません",
        captures_note: "キャプチャは、1 プロセスの全スレッドの GVL イベントを数秒間すべて記録したものです。クリックするとスレッドごとに表示します。",
        no_captures: "まだありません。`holdup capture --seconds 10` で計測中のプロセスから取得できます。config.capture = {stall: \"50 ms\"} とすると、遅い処理に至る経過が自動で残ります。",
        trigger_asked: "holdup capture コマンド", trigger_until: "holdup capture --until による", trigger_rule: "規則", trigger_dashboard: "ここから依頼",
        capture_now: "今すぐ取得する", capture_button: "10 秒間取得", capture_nobody: "このホストで計測中のプロセスはありません。",
        capture_asked: "プロセス %<pid>s に依頼しました。約 30 秒後にこの一覧に現れます。ページを読み込み直してください。",
        capture_part: "キャプチャの %<from>s から %<to>s までの部分だけです。", capture_held_note: "保持と最長：キャプチャ全体での値。",
        capture_files: "キャプチャの出力", capture_packed: "holdup timeline 用のファイル", capture_firefox: "Firefox Profiler 用", capture_perfetto: "Perfetto 用", capture_speedscope: "speedscope 用", capture_json: "プログラム用の JSON",
        story_from: "開始から", story_length: "時間", story_what: "内容",
        methods_title: "他を待たせながら GVL を最も長く保持したメソッド",
        flame_title: "実行の内容：呼び出し元から順に並べたメソッド", flame_empty: "ありません。", flame_depth: "深さ", flame_frame: "メソッド", flame_folded: "%<first>s … %<last>s（%<count>s 個）",
        flame_note: "幅は時間の割合です。指すと場所と時間を表示します。濃い色はアプリケーション自身のコードです。",
        flame_held: "GVL を保持", flame_stalled: "GVL を待った", flame_caused: "他を待たせた", flame_no_stack: "スタックなし",
        viewer_title: "スレッドごとの経過", viewer_failed: "図を描けませんでした。数値は下の表にあります。",
        viewer_closer: "拡大", viewer_further: "縮小", viewer_whole: "全体", viewer_before: "前の待ち", viewer_next: "次の待ち", viewer_tables: "この部分の表", viewer_free: "解除",
        viewer_search: "処理・スレッド・メソッドを探す", viewer_found: "見つかったもの",
        viewer_keys: "区間をクリックすると誰を待っていたかを、処理をクリックするとその経過を表示します。矢印キーで時間と行の移動、+ と - で拡大と縮小、Home と End で両端、" \
          "N と P で次と前の待ち、Enter で処理を追い、T で下の表をこの部分に合わせ、0 で全体、Escape で解除します。ホイールはクリック後または Ctrl と一緒に拡大縮小、Shift と一緒に時間の移動です。",
        viewer_period: "%<who>s：%<state>s、%<time>s（%<at>s から）", viewer_holder: "GVL の保持者", viewer_nobody: "保持者なし", viewer_running: "GVL を保持", viewer_stalled: "GVL 待ち",
        viewer_preempted: "GVL を手放して待機", viewer_io: "I/O 中", viewer_lock: "ロック待ち", viewer_sleep: "スリープまたは時限付きの待ち", viewer_idle: "アイドル", viewer_unknown: "不明",
        viewer_absent: "存在しない", viewer_handoff: "保持者なし（受け渡し）", viewer_gc: "GC 中"
      }.freeze
    end
  end
end
