# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      CONNECTIONS_JA = {
        verdict_connections: "%<units>sは時間の %<share>s をデータベース接続の空き待ちに費やしました。",
        verdict_connections_kept: "%<units>sは時間の %<share>s をデータベース接続の空き待ちに費やしました。プールの接続数は %<size>s で、" \
          "使用時間の %<held_share>s は %<cause>s が占有していました。",
        verdict_connections_outside: "%<units>sは時間の %<share>s をデータベース接続の空き待ちに費やしました。プールの接続数は %<size>s で、" \
          "使用時間の %<held_share>s はリクエストやジョブ以外のスレッドが占有していました。",
        remark_connections: "さらに、時間の %<share>s をデータベース接続の空き待ちに費やしています。",

        connections: "データベース接続",
        wait_each: "待ち/件", wait_share: "時間の%", kept_each: "占有/件", kept_share: "占有の%",
        connections_pool: "プール %<name>s：プロセスごとに %<max>s 接続。平均で %<busy>s 接続が使用中、空き待ちのリクエストやジョブは %<backlog>s 件（1 分に 1 回見た最大は %<most>s スレッド）。",
        connections_outside: "(処理外のスレッド)",
        connections_unknown: "リクエストやジョブ以外のスレッドの占有時間はまだ不明です（プロセスの採取は1分ごと）。",
        connections_size: "プールはプロセスごとに %<size>s 接続です。",
        connections_note: "待ち：全接続が使用中で空きを待った時間（sleep の一部）。占有：取得から返却または処理の終了まで（プールごとに最初の空き待ち以降）。同時に複数持てばそれぞれ数えます。"
      }.freeze
    end
  end
end
