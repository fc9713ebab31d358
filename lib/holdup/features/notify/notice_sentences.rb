# frozen_string_literal: true

require "shellwords"
require "uri"

module Holdup
  module Notify
    # Says a notice.
    class NoticeSentences
      # Seconds before the notice that its span begins.
      SPAN_S = {stall: 600, verdict: HOUR_S, deaths: HOUR_S, slo: HOUR_S, autopilot: HOUR_S}.freeze
      PAGES = {deaths: "deaths", revision: "compare", collector: "health", store: "health"}.freeze
      private_constant :SPAN_S, :PAGES

      # @param web_url [String, nil] address of the dashboard
      def initialize(words:, web_url: nil)
        @words = words
        @web_url = web_url
      end

      # @param notice [Notice]
      # @param report [String, nil] what the report says of it
      # @return [NoticeMessage]
      def call(notice, report: nil)
        rule = notice.rule.to_sym
        over = notice.state == :over
        text = over ? word(:"over_#{rule}", **said(notice)) : @words.sentences([sentence(notice), *report])
        NoticeMessage.new(rule: notice.rule, state: notice.state, at_s: notice.at_s, source: notice.source,
          title: title(rule, over), text:, figure: figure(notice), link: link(rule, notice),
          command: command(rule, notice))
      end

      # @return [String] what the notice says without the report
      def sentence(notice)
        rule = notice.rule.to_sym
        return word(:"over_#{rule}", **said(notice)) if notice.state == :over
        return word(:verdict_without_cause) if rule == :verdict && notice.facts[:cause].nil?
        return word(:title_digest) if rule == :digest
        word(:"found_#{rule}", **said(notice))
      end

      # @param channel [Symbol]
      # @param facts [Hash{Symbol => Object}] key and detail of a Channels::ChannelAnswer
      # @return [String] how an attempt went
      def outcome(channel, facts)
        key = facts.fetch(:key)
        key = :sent_with_status if key == :sent && facts[:detail]
        word(:"outcome_#{key}", channel: word(:"channel_#{channel}"), detail: facts[:detail].to_s)
      end

      # @return [NoticeMessage] that only shows that a channel works
      def test(now_s)
        NoticeMessage.new(rule: "test", state: :began, at_s: now_s, source: "test #{now_s}",
          title: word(:title_test), text: word(:found_test), figure: nil, link: @web_url,
          command: "holdup notify")
      end

      private

      def word(key, **facts) = @words.call(:"notify_#{key}", **facts)

      def title(rule, over)
        title = word(:"title_#{rule}")
        over ? word(:title_over, title:) : title
      end

      def said(notice)
        facts = notice.facts.except(:ids, :text, :key).to_h { |key, fact| [key, say(key, fact)] }
        {lever: "threads", **facts} # what the autopilot did before it could change anything else
      end

      def say(key, fact)
        case key
        when :moved then @words.list(fact.map { |name, share| moved(name, share) })
        when :why then View::AuditLog.reason(fact.to_s, @words)
        when :hosts then @words.list(fact.map { |host| View::Width.clean(host) })
        when :count then fact
        else fact.is_a?(Float) ? View::Figures.share(fact) : View::Width.clean(fact.to_s)
        end
      end

      # @param name [String] of a Compare::Comparison::Metric
      def moved(name, share)
        cells = Compare::Report::Cells.new(@words)
        metric = Compare::Comparison::Metric::ALL.fetch(name.to_sym)
        [cells.name(metric), *(cells.change(share) if share)].join(" ")
      end

      def figure(notice)
        facts = notice.facts
        return View::Figures.share(facts[:share]) if facts[:share]
        facts[:count]&.to_s
      end

      def link(rule, notice)
        return unless @web_url
        page = PAGES.fetch(rule, "")
        query = span(rule, notice).map { |name, second| "#{name}=#{moment(second)}" }
        query << revisions(notice.facts) if rule == :revision
        "#{[@web_url.chomp("/"), page].join("/")}?#{query.join("&")}"
      end

      def span(rule, notice)
        began_s, look_s = notice.facts.values_at(:began_s, :look_s)
        return {since: began_s - look_s, until: began_s + look_s} if rule == :revision
        {since: notice.at_s - SPAN_S.fetch(rule, HOUR_S), until: notice.at_s}
      end

      # @return [String] parameters of the page that compares
      def revisions(facts)
        URI.encode_www_form(before: "revision:#{facts[:before]}", after: "revision:#{facts[:revision]}")
      end

      def moment(second) = Time.at(second).utc.strftime("%FT%TZ")

      def options(rule, notice)
        span(rule, notice).map { |name, second| "--#{name} #{moment(second)}" }.join(" ")
      end

      def command(rule, notice)
        case rule
        when :stall, :verdict, :slo
          "holdup report #{options(rule, notice)}"
        when :deaths then ["holdup deaths", *notice.facts[:ids]&.last].join(" ")
        when :revision
          both = notice.facts.values_at(:before, :revision).map { |one| Shellwords.escape(one) }
          "holdup compare --revision #{both.join(" ")} #{options(rule, notice)}"
        when :autopilot then "holdup autopilot"
        else "holdup doctor"
        end
      end
    end
  end
end
