# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # The same in Japanese.
      CAPTURES_JA = {
        title_captures: "キャプチャ", title_capture: "キャプチャの内容",
        captures_kept: "保存されているキャプチャ", taken: "取得時刻", capture_why: "理由", capture_unit: "捕らえた処理", capture_stall: "GVL 待ち", capture_holder: "待たせた処理と時間", capture_events: "イベント数",
        capture_length: "長さ", capture_cost: "CPU コスト", capture_size: "サイズ", capture_broken: "読めません",
        captures_note: "キャプチャは、1 つのプロセスの全スレッドの GVL イベントを、数秒間すべて記録したものです。クリックするとスレッドごとに表示します。",
        no_captures: "まだありません。計測中のプロセスのキャプチャは `holdup capture --seconds 10` で取得できます。`config.capture = {stall: \"50 ms\"}` を設定すると、遅い処理に至る経過が自動で保存されます。",
        trigger_asked: "holdup capture コマンド", trigger_until: "holdup capture --until コマンド", trigger_rule: "設定した条件", trigger_dashboard: "この画面からの依頼",
        capture_now: "今すぐ取得する", capture_button: "10 秒間取得", capture_nobody: "このホストに計測中のプロセスはありません。",
        capture_asked: "プロセス %<pid>s に依頼しました。約 30 秒後にこの一覧に表示されます。ページを再読み込みしてください。",
        capture_part: "キャプチャの %<from>s から %<to>s までの部分だけを表示しています。", capture_held_note: "「保持」と「最長」はキャプチャ全体での値です。",
        capture_files: "ファイル", capture_packed: "holdup timeline 用のファイル", capture_firefox: "Firefox Profiler 用", capture_perfetto: "Perfetto 用", capture_speedscope: "speedscope 用", capture_json: "プログラム用の JSON",
        story_from: "開始から", story_length: "時間", story_what: "内容",
        methods_title: "ほかを待たせながら GVL を最も長く保持したメソッド",
        flame_title: "実行内容：呼び出し元のメソッドから順に表示", flame_empty: "ありません。", flame_depth: "深さ", flame_frame: "メソッド", flame_folded: "%<first>s … %<last>s（%<count>s 個）",
        flame_note: "幅は時間の割合を表します。マウスを重ねると場所と時間を表示します。濃い色はアプリケーション自身のコードです。",
        flame_held: "GVL を保持", flame_stalled: "GVL を待った", flame_caused: "ほかを待たせた", flame_no_stack: "スタックなし",
        viewer_title: "スレッドごとの経過", viewer_failed: "図を描画できませんでした。数値は下の表にあります。",
        viewer_closer: "拡大", viewer_further: "縮小", viewer_whole: "全体", viewer_before: "前の待ち", viewer_next: "次の待ち", viewer_tables: "この部分の表", viewer_free: "解除",
        viewer_search: "処理・スレッド・メソッドを検索", viewer_found: "検索結果",
        viewer_keys: "区間をクリックすると何を待っていたかを、処理をクリックするとその経過を表示します。矢印キーで時間と行を移動、+ と - で拡大・縮小、Home と End で両端へ移動、N と P で次・前の待ちへ移動、Enter で処理を追跡、T で下の表をこの部分に限定、0 で全体を表示、Escape で解除します。ホイールは、クリック後または Ctrl を押しながらで拡大・縮小、Shift を押しながらで時間の移動です。",
        viewer_period: "%<who>s：%<state>s、%<time>s（%<at>s から）", viewer_holder: "GVL の保持者", viewer_nobody: "保持者なし", viewer_running: "GVL を保持", viewer_stalled: "GVL 待ち",
        viewer_preempted: "GVL を失い、待機中", viewer_io: "I/O 中", viewer_lock: "ロック待ち", viewer_sleep: "sleep またはタイムアウト付きの待ち", viewer_idle: "アイドル", viewer_unknown: "不明",
        viewer_absent: "存在しない", viewer_handoff: "保持者なし（受け渡し）", viewer_gc: "GC 中"
      }.freeze
    end
  end
end
