# frozen_string_literal: true

module Holdup
  class Web
    module Locales
      # Sentences of charts and of live pages.
      CHARTS_JA = {
        chart_part: "グラフには、この期間のうちデータのある %<span>s を表示しています。", chart_part_link: "期間全体を表示",
        chart_whole: "データがあるのは %<span>s だけです。", chart_whole_link: "その部分だけを表示",
        over_time: "時間の推移", as_table: "同じ内容を表で見る", moment: "開始", over_time_note: "1 行は %<step>s 分。キュー待ちと stalled は 1 件あたりの平均、GVL は動いたものすべてについての値です。",
        chart_shares: "経過時間の状態別の割合", chart_rate: "1 秒あたりの件数", chart_wall: "1 件の経過時間", chart_waits: "キュー待ちと stalled（1 件の平均）",
        chart_heat: "%<what>s 時間の分布の推移（濃いほど件数が多い）", chart_most: "最も多い帯の上限",
        chart_gvl: "GVL が保持されていた割合", chart_steep: "85 %：これを超えると待ちが急に増える",
        chart_machine: "コンテナの CPU", chart_ceiling: "到達できる上限：%<range>s", chart_process_cpu: "各プロセスの CPU（1 コアに対して）",
        chart_memory: "各プロセスのメモリ（RSS）", chart_busy: "各プロセスで処理中のスレッド", chart_gc: "各プロセスの GC 時間",
        column_process_cpu: "CPU（1 コア）", column_memory: "メモリ（RSS）", column_busy: "処理中のスレッド", column_gc: "GC 中",
        chart_by_age: "プロセスの経過時間ごと", age: "起動から", chart_warm_up: "1 件あたり、まだ解釈実行された命令", chart_compiled: "コンパイル済みのメソッドとブロック",
        chart_jit_memory: "JIT のメモリ",
        candidates_most: "1 秒あたりの最大件数（スレッド数ごと）", candidates_p95: "1 件の p95（スレッド数ごと）", candidates_wait: "キュー待ちと stalled、1 件の平均（スレッド数ごと）",
        candidates_note: "縦の破線：アムダールの法則と「+5 %」の目安による数。×：上限を超える設定（表を参照）。",
        candidates_line: "プロセス数 %<count>s", candidates_now: "現在", candidates_best: "推奨",
        chart_speed_up: "1 スレッドに対する倍率", chart_held: "GVL 保持", chart_stall: "1 件の stalled", chart_enough: "縦の破線：十分なスレッド数。",
        model_closed: "予測", model_amdahl: "アムダールの法則", model_bound: "理論上の上限",
        chart_spread: "%<what>s 時間別の件数の割合",
        mean_of: "%<what>s（平均）", percentile_of: "%<what>s（%<percentile>s）", share_of: "%<what>s（割合）", gvl_of: "GVL（%<group>s）",
        chart_keys: "矢印キーで点を移動、Home と End で両端へ。", chart_failed: "グラフを読み込めませんでした。値は下の表にあります。",
        live: "10 秒ごとに更新します。", live_pause: "一時停止", live_resume: "再開", live_failed: "前回の更新に失敗しました。もう一度試します。"
      }.freeze
    end
  end
end
