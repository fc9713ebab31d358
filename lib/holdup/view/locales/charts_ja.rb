# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of charts and of live pages.
      CHARTS_JA = {
        chart_part: "グラフには、この期間のうちデータのある %<span>s を表示しています。", chart_part_link: "期間全体を表示",
        chart_whole: "データがあるのは %<span>s だけです。", chart_whole_link: "その部分だけを表示",
        over_time: "時間ごとの推移", as_table: "表で表示", moment: "開始時刻", over_time_note: "1 行は %<step>s間です。キュー待ちと stalled は 1 件あたりの平均、GVL は動いたものすべてについての値です。",
        chart_shares: "経過時間の状態別の割合", chart_rate: "毎秒の件数", chart_wall: "1 件の経過時間", chart_waits: "キュー待ちと stalled（1 件あたりの平均）",
        chart_heat: "分布の推移：%<what>s（濃いほど件数が多い）", chart_most: "最多の区間の上限",
        chart_gvl: "GVL が保持されていた時間の割合", chart_steep: "85 %：これを超えると待ちが急増",
        chart_machine: "コンテナの CPU", chart_ceiling: "到達できる上限：%<range>s", chart_process_cpu: "各プロセスの CPU（1 コアに対する割合）",
        chart_memory: "各プロセスのメモリ（RSS）", chart_busy: "各プロセスの処理中のスレッド数", chart_gc: "各プロセスの GC 時間の割合",
        column_process_cpu: "CPU（1 コア）", column_memory: "メモリ（RSS）", column_busy: "処理中のスレッド数", column_gc: "GC の割合",
        chart_by_age: "プロセスの起動からの経過時間別", age: "経過時間", chart_warm_up: "1 件あたりのインタプリタ実行命令数", chart_compiled: "コンパイル済みのメソッドとブロックの数",
        chart_jit_memory: "JIT のメモリ",
        candidates_most: "毎秒の最大件数（スレッド数別）", candidates_p95: "1 件の p95（スレッド数別）", candidates_wait: "キュー待ちと stalled、1 件あたりの平均（スレッド数別）",
        candidates_note: "縦の破線：アムダールの法則と「増加 5 %」の規則によるスレッド数。×：上限を超えるため除外した設定（表を参照）。",
        candidates_line: "%<count>s プロセス", candidates_now: "現在", candidates_best: "推奨",
        chart_speed_up: "1 スレッドに対する倍率", chart_held: "GVL 保持率", chart_stall: "1 件の GVL 待ち", chart_enough: "縦の破線：十分なスレッド数。",
        model_closed: "予測", model_amdahl: "アムダールの法則", model_bound: "理論上の上限",
        chart_spread: "件数の割合（%<what>s）",
        mean_of: "%<what>s（平均）", percentile_of: "%<what>s（%<percentile>s）", share_of: "%<what>s（割合）", gvl_of: "GVL（%<group>s）",
        chart_keys: "矢印キーで点を移動、Home と End で両端へ。", chart_failed: "グラフを読み込めませんでした。数値は下の表にあります。",
        live: "10 秒ごとに更新", live_pause: "一時停止", live_resume: "再開", live_failed: "前回の更新に失敗しました。自動的に再試行します。"
      }.freeze
    end
  end
end
