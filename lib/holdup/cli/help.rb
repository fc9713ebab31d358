# frozen_string_literal: true

module Holdup
  class CLI
    # Lists the commands, shows the help of one, or the settings of the part that runs inside the application.
    class Help
      def self.options(_console)
        Options.new("holdup help [command | settings]", rest: :topics)
      end

      # @param topics [Array<String>] a command (of the lab also the experiment), "settings", or nothing
      def initialize(console:, topics: [])
        @console = console
        @topic, *@rest = topics
      end

      # @return [Integer] exit status
      def run
        return Registry.fetch(@topic).call([*@rest, "--help"], @console) if @topic && @topic != "settings"
        @console.out.puts(@topic ? settings : overview)
        OK
      end

      private

      def overview
        commands = Registry::SUMMARIES.map { |name, summary| "  holdup #{name.ljust(9)} #{summary}" }
        ["Who holds the GVL, who waits for it, and how many threads and processes you need.", "", *commands, "",
          "`holdup help COMMAND` shows the options of one, `holdup help settings` those of the",
          "part that runs inside the application. Start with `holdup report`."]
      end

      def settings
        Configuration::KEYS.flat_map do |key|
          ["#{key.name}#{" (#{key.env})" if key.env}, default #{default(key)}",
            *wrap(key.help).map { |line| "    #{line}" }]
        end
      end

      def default(key)
        key.default.is_a?(IO) ? "stderr" : key.default.inspect
      end

      def wrap(text) = text.scan(/\S.{0,74}(?=\s|\z)/)
    end
  end
end
