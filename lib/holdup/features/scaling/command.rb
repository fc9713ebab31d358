# frozen_string_literal: true

require "json"

module Holdup
  module Scaling
    # Load, capacity and their ratio for each application and role: the signal that autoscalers get from the
    # collector, from the store. The collector runs it for the capacity.
    class Command
      WITHIN_S = ConfigurationKeys::ScalingGoal::WITHIN_S
      SCHEMA = 1

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup scale --slo p95=300ms [options]", [
        Advise::SizingOptions::SLO.with(help: ["the promise to requests: p95=300ms"]),
        Queries::Option.declare("--within TIME", Queries::OptionTypes::WholeSeconds.new(0),
          "in which waiting jobs are to begin (#{WITHIN_S}s)", key: :within_s),
        Queries::Option.text("--host NAME", "only this host"),
        *Queries::SelectionOptions.origin(%i[app role revision]),
        *Queries::SelectionOptions.span(Advise::SizingOptions::SINCE),
        CLI::Options::STORE,
        *CLI::Formats.options(%i[text json]),
        CLI::Options::LANGUAGE
      ])

      # @param slo [Advise::Sizing::Slo] of requests; without a limit their capacity is unknown
      # @param within_s [Integer]
      def initialize(console:, slo: Advise::Sizing::Slo.new, within_s: WITHIN_S, host: nil, since: nil,
        until: nil, origin: Queries::Origin.new, store: nil, format: :text, language: nil)
        @console = console
        @slo = slo
        @within_s = within_s
        @host = host
        @origin = origin
        @span = Advise::SizingOptions.span_of({since:, until:}.compact, console.clock.realtime_s)
        @store = store
        @format = format
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      def run
        roles = CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          Reader.new(store, **@span, slo: @slo, host: @host,
            passing: ScalingSignal::PASSING).call
        end
        @console.show((@format == :json) ? json(roles) : text(roles))
        CLI::OK
      end

      private

      def json(roles)
        capacities = roles.map do |one|
          known = one.to_h.slice(:app, :role, :kind, :shape, :hosts, :queued_p95_ns)
          ratio = one.load_ratio&.round(4)
          {**known, **one.capacity.to_h, load_per_second: one.rate.round(4), load_ratio: ratio}
        end
        facts = {schema: SCHEMA, slo: @slo.limit_ns && slo_text, within_s: @within_s, capacities:}
        "#{JSON.pretty_generate(facts)}\n"
      end

      def slo_text = "#{@slo.name}=#{@slo.limit_ns / 1e6}ms"

      def text(roles)
        View::Text.new(page(roles), **@console.layout).call
      end

      def page(roles)
        return View::Page.new(title: word(:title), blocks: [note(word(:nothing))]) if roles.empty?
        View::Page.new(title: word(:title), blocks: [table(roles), *reasons(roles)])
      end

      def table(roles)
        columns = %i[role ratio load capacity queued processes].map { |key| word(key) }
        View::Section.new(title: "", columns:, rows: roles.map { |one| row(one) },
          notes: [word(:note, hosts: View::Figures.count(roles.map(&:hosts).max))])
      end

      def row(one)
        figures = View::Figures
        ratio = one.load_ratio ? format("%.2f", one.load_ratio) : figures::NONE
        [name(one), ratio, figures.rate(one.rate), figures.rate(one.capacity.per_second),
          figures.duration(one.queued_p95_ns), figures.count(one.capacity.processes)]
      end

      def reasons(roles)
        unknown = roles.reject(&:load_ratio)
        texts = unknown.map { |one| word(:unknown, name: name(one), reason: reason(one)) }
        texts.empty? ? [] : [note(*texts)]
      end

      def note(*texts) = View::Blocks::Notes.new(texts:)

      def reason(one)
        found = one.capacity.reason || ScalingSignal::IDLE
        Advise::NoAnswer.text([found], words: @words)
      end

      def name(one)
        View::Width.clean([one.app, one.role, @words.units(one.kind)].compact.join(" "))
      end

      def word(key, **facts) = @words.call(:"scale_#{key}", **facts)
    end
  end
end
