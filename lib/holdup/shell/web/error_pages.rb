# frozen_string_literal: true

module Holdup
  class Web
    # The page for a request that fails: says why and what to do, with the title and navigation of the
    # requested page.
    module ErrorPages
      private

      # What opens a dashboard that is closed, to copy: {sentence => code}. MOUNTED stands for the path where
      # it is mounted.
      OPENING = {
        refused_open_rails: <<~RUBY,
          # config/initializers/holdup.rb
          Holdup.configure do |config|
            config.web_auth = {username: "ops", password: ENV.fetch("DASHBOARD_PASSWORD")}
          end

          # config/routes.rb
          mount Holdup::Web => MOUNTED
        RUBY
        refused_open_devise: <<~RUBY,
          # config/initializers/holdup.rb
          Holdup.configure { |config| config.web_auth = :none }

          # config/routes.rb
          authenticate(:user, ->(user) { user.admin? }) { mount Holdup::Web => MOUNTED }
        RUBY
        refused_open_rack: <<~RUBY,
          # config.ru
          Holdup.configure do |config|
            config.web_auth = {username: "ops", password: ENV.fetch("DASHBOARD_PASSWORD")}
          end
          map(MOUNTED) { run Holdup::Web }
        RUBY
        refused_open_proxy: <<~SHELL
          # in the environment of the application; the proxy asks who it is, and sends X-Forwarded-Prefix
          # where it serves the application below a path
          HOLDUP_WEB_AUTH=none
        SHELL
      }.freeze
      MOUNTED = "MOUNTED"
      PATH = "/holdup"
      private_constant :OPENING, :MOUNTED, :PATH

      def refuse(refusal)
        response.headers.merge!(refusal.headers)
        code = (refusal.key == :refused_closed) ? opening : {}
        response.write(message(refusal.status, word(refusal.key), code:, name: nil))
        request.halt
      end

      # @return [Hash{String => String}] with the path where it is mounted now
      def opening
        path = request.script_name.empty? ? PATH : request.script_name
        OPENING.to_h { |key, code| [word(key), code.gsub(MOUNTED) { path.inspect }] }
      end

      def failed(error)
        case error
        when UsageError then error_message(400, :refused_question, error)
        when Error then error_message(503, :refused_now, error)
        else
          env["rack.errors"]&.puts("holdup: #{error.full_message(highlight: false)}")
          message(500, word(:refused_failure, error: error.class))
        end
      end

      def error_message(status, key, error)
        problem, remedy = View::ErrorText.of(error, words:)
        message(status, word(key), problem:, remedy:)
      end

      # @param problem [View::ErrorText::ErrorSentence, nil] what happened
      # @param remedy [View::ErrorText::ErrorSentence, nil] what to do
      # @param code [Hash{String => String}] that does it, in different situations
      def message(status, text, problem: nil, remedy: nil, code: {}, name: page_name)
        response.status = status
        view = view(name, nil, kept: chosen)
        lay_out(view, render("message", locals: {view:, text:, problem:, remedy:, code:, titled: !@begun}))
      end

      # Works even if the rest of the address is invalid.
      def page_name
        name = env["PATH_INFO"].to_s.b[%r{\A/(\w+)(?:\.\w+)?\z}, 1]
        return Pages::START if ["", "/"].include?(env["PATH_INFO"])
        Pages::ALL.key?(name) ? name : nil
      end

      # Parameters of the links. Of an address that is invalid, those that are read without the others.
      def chosen
        query.kept
      rescue UsageError
        {"lang" => asked_for("lang"), "theme" => asked_for("theme")}.compact
      end
    end
  end
end
